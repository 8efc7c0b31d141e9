package settings

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"dream-mcp/consolidate/host"
	"dream-mcp/consolidate/ops"
	"dream-mcp/memory/lazy"
)

// resolver is one run of Resolve.
type resolver struct {
	Setup
	env    Environment
	flags  Flags
	claude []scope // Claude Code's settings, the strongest first
	layers []layer // our settings, the strongest first
	chosen bool    // the person chose a mode
	repo   checkout
}

// maxWarnings bounds the warnings.
const maxWarnings = 30

func (r *resolver) warn(format string, args ...any) {
	w := fmt.Sprintf(format, args...)
	switch n := len(r.Warnings); {
	case slices.Contains(r.Warnings, w) || n > maxWarnings:
	case n == maxWarnings:
		r.Warnings = append(r.Warnings, "there are more warnings; fix these first")
	default:
		r.Warnings = append(r.Warnings, w)
	}
}

// WithDefaults returns env with a Getenv, a GOOS and a home without links; "" if the home is not absolute.
func (env Environment) WithDefaults() Environment {
	if env.Getenv == nil {
		env.Getenv = func(string) string { return "" }
	}
	getenv := env.Getenv
	env.Getenv = func(name string) string {
		// Hosts of MCPB bundles leave the placeholder of an empty setting in the variable.
		if v := getenv(name); !strings.HasPrefix(v, "${user_config.") {
			return v
		}
		return ""
	}
	if env.GOOS == "" {
		env.GOOS = runtime.GOOS
	}
	if filepath.IsAbs(env.Home) {
		env.Home = real(env.Home)
	} else {
		env.Home = ""
	}
	return env
}

// Resolve returns the Setup of a process. It fails if the named project does not exist, if the named memory directory
// cannot be used, since another in its place would be worse, or with ErrNoProject if no memory is named either. Then
// the Setup is incomplete.
func Resolve(env Environment, f Flags) (Setup, error) {
	env = env.WithDefaults()
	r := &resolver{env: env, flags: f}
	r.Settings = map[string]Setting{}
	r.findClient()
	if err := r.findProject(); err != nil {
		return r.Setup, err
	}
	r.findConfig()
	r.readLayers()
	r.chooseOptions()
	r.chooseRecall()
	r.chooseTranscripts()
	r.chooseHosts()
	r.chooseUnattended()
	if err := r.findMemory(); err != nil {
		return r.Setup, err
	}
	r.findCandidates()
	r.findEnabled()
	return r.Setup, nil
}

// isSessionID reports whether s may be the ID of a session, a UUID today. It is never a path.
func isSessionID(s string) bool { return len(s) <= 128 && plain.MatchString(s) }

// plain does not bound the length: {1,128} takes thirty times as long to compile, at every start.
var plain = lazy.New(`^[A-Za-z0-9_-]+$`)

func (r *resolver) findClient() {
	r.Client = r.flags.Client
	client := host.Find(r.Client)
	for _, variables := range []func(*host.Host) []string{
		func(h *host.Host) []string { return h.Variables.Hook },
		func(h *host.Host) []string { return h.Variables.Started },
	} {
		for _, h := range host.List {
			if r.Client == "" && slices.ContainsFunc(variables(h), func(name string) bool { return r.env.Getenv(name) != "" }) {
				r.Client, client = h.ID, h
			}
		}
	}
	name := host.Find(ClaudeCode).Variables.Session // set in its hooks, by whichever host imitates them
	if client != nil && client.Variables.Session != "" && r.env.Getenv(name) == "" {
		name = client.Variables.Session
	}
	if id := r.env.Getenv(name); isSessionID(id) {
		r.SessionID = id
	} else if id != "" {
		r.warn("%s %q is not the name of a session; ignored", name, clip(id))
	}
}

// ErrNoProject is the error of a process whose working directory was deleted, or is the root of a file system, where
// some hosts start their servers, and that nothing else names a project to.
var ErrNoProject = ops.Refuse("no project: the host names none, and the working directory is the root of the file system or was deleted",
	"go to the folder that you work in, or name it: --project DIR; --memory-dir DIR is a memory without a project")

// NoProjectHint is the hint for ErrNoProject.
const NoProjectHint = "name one in the host's settings for dream-mcp: --project DIR is the folder that you work in, " +
	"--memory-dir DIR a memory without a project; dream-mcp install HOST takes both and writes them there. " +
	"In an extension these are its settings “Project folder” and “Memory folder”"

// findProject chooses the project: the flag, the environment, the client's, the working directory. The root of a file
// system is a project only if the person names it, because clients without a folder name it too.
func (r *resolver) findProject() error {
	use := func(dir, source string) {
		r.Project = real(dir)
		r.Settings["project"] = Setting{r.Project, source}
	}
	named, source := r.flags.Project, "--project"
	if named == "" {
		named, source = r.env.Getenv("DREAM_PROJECT"), "DREAM_PROJECT"
	}
	hosts := r.env.Getenv("CLAUDE_PROJECT_DIR")
	if named == "" && hosts != "" && !(filepath.IsAbs(hosts) && isDir(hosts)) {
		r.warn("CLAUDE_PROJECT_DIR %q is not a directory; ignored", clip(hosts))
		hosts = ""
	}
	switch {
	case named != "":
		dir := named
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(r.env.Dir, dir)
		}
		if !isDir(dir) {
			return fmt.Errorf("project %q (%s) is not a directory", clip(named), source)
		}
		use(dir, source)
	case hosts != "":
		use(hosts, "CLAUDE_PROJECT_DIR")
	case r.env.Folder != "" && filepath.Dir(r.env.Folder) != r.env.Folder:
		use(r.env.Folder, fromClient)
	case !filepath.IsAbs(r.env.Dir), filepath.Dir(r.env.Dir) == r.env.Dir:
		r.Settings["project"] = Setting{"", FromWorkingDirectory}
		r.warn("no project is named, so no sessions are reviewed and nothing is compared with files of a project")
		return nil
	default:
		use(r.env.Dir, FromWorkingDirectory)
	}
	r.repo = findCheckout(r.Project, r.warn)
	r.Root, r.Worktrees = r.repo.root, r.repo.worktrees
	if top := r.repo.top; top != r.env.Home && filepath.Dir(top) != top {
		r.Checkout = top
	}
	switch {
	case filepath.Dir(r.Root) == r.Root:
		r.warn("the project is the root of the file system")
	case r.Root == r.env.Home:
		r.warn("the project is the home directory: its memory is shared by whatever is started there")
	}
	return nil
}

// isDirName reports whether s is a valid CLAUDE_CODE_PROJECT_DIR_NAME.
func isDirName(s string) bool { return len(s) <= 64 && plain.MatchString(s) }

func (r *resolver) findConfig() {
	named := r.env.Getenv("CLAUDE_CONFIG_DIR")
	switch {
	case named != "":
		if !filepath.IsAbs(named) {
			named = filepath.Join(r.env.Dir, named)
		}
		r.ConfigDir = real(nfc(named)) // as Claude Code does
	case r.env.Home != "":
		r.ConfigDir = real(filepath.Join(r.env.Home, ".claude"))
	}
	if r.ConfigDir != "" {
		r.ProjectsDir = filepath.Join(r.ConfigDir, "projects")
	}
	switch name := r.env.Getenv("CLAUDE_CODE_PROJECT_DIR_NAME"); {
	case name == "":
	case named == "":
		r.warn("CLAUDE_CODE_PROJECT_DIR_NAME counts only together with CLAUDE_CONFIG_DIR; ignored")
	case !isDirName(name):
		r.warn("CLAUDE_CODE_PROJECT_DIR_NAME %q is not 1 to 64 letters, digits, - or _; ignored", clip(name))
	default:
		r.DirName = name
	}
	r.claude = r.readSettings()
	r.CleanupDays = defaultCleanupDays
	r.Settings["cleanup_days"] = Setting{strconv.Itoa(defaultCleanupDays), "default"}
	for _, v := range values[int](r, "cleanupPeriodDays") {
		if v.value < 1 || v.value > maxDays {
			r.warn("cleanupPeriodDays %d in %q is not between 1 and %d; ignored", v.value, v.path, maxDays)
			continue
		}
		r.CleanupDays = v.value
		r.Settings["cleanup_days"] = Setting{strconv.Itoa(v.value), v.path}
		break
	}
}

// maxDays bounds cleanupPeriodDays to a thousand years, so that times computed from it are valid.
const maxDays = 365_000
