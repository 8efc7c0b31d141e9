package host

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// resolver carries one resolution; its steps run in the order of Resolve.
type resolver struct {
	Setup
	env    Environment
	flags  Flags
	claude []scope // Claude Code's files
	layers []layer // ours, the strongest first
	chosen bool    // the person chose a mode of ours
	repo   checkout
}

// maxWarnings is as many as a person reads.
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

// Complete fills in what env leaves open.
func (env Environment) Complete() Environment {
	if env.Getenv == nil {
		env.Getenv = func(string) string { return "" }
	}
	getenv := env.Getenv
	env.Getenv = func(name string) string {
		// A host of MCPB bundles that does not know an empty setting leaves its placeholder in the variable.
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

// Resolve finds out. An error is what a person must fix first: an impossible command line, a memory directory
// that was named but must not be used (another one in its place would be worse), or no directory to work in. The Setup is filled
// as far as it got even then.
func Resolve(env Environment, f Flags) (Setup, error) {
	env = env.Complete()
	r := &resolver{env: env, flags: f}
	r.Settings = map[string]Setting{}
	for _, step := range []func() error{
		r.findClient, r.findProject, r.findConfig, r.readLayers, r.chooseOptions, r.chooseRecall, r.chooseTranscripts, r.chooseHosts, r.chooseUnattended,
		r.findMemory, r.findCandidates, r.findEnabled,
	} {
		if err := step(); err != nil {
			return r.Setup, err
		}
	}
	return r.Setup, nil
}

// isSessionID reports whether a text is what a session is called: a UUID today, and never what could name another
// folder.
func isSessionID(s string) bool { return len(s) <= 128 && plain.MatchString(s) }

// plain leaves lengths to its users: {1,128} would take thirty times as long to compile, at every start.
var plain = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// SessionVariables are those that name the session under way: other ones in each, and nothing but SessionID depends on them.
var SessionVariables = [3]string{"CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "GEMINI_SESSION_ID"}

func (r *resolver) findClient() error {
	set := func(names ...string) bool {
		for _, n := range names {
			if r.env.Getenv(n) != "" {
				return true
			}
		}
		return false
	}
	switch {
	case r.flags.Client != "":
		r.Client = r.flags.Client
	case set("CURSOR_VERSION"): // which it sets for its hooks alone, and Claude Code's variables beside it; it runs Claude Code's hooks too
		r.Client = Cursor
	case set("GEMINI_PROJECT_DIR"): // which it sets for its hooks alone, and Claude Code's beside it
		r.Client = Gemini
	case set("CLAUDECODE", "CLAUDE_PROJECT_DIR"):
		r.Client = ClaudeCode
	case set("CODEX_THREAD_ID", "CODEX_SANDBOX", "CODEX_HOME"):
		r.Client = Codex
	case set("GEMINI_CLI"):
		r.Client = Gemini
	case set("OPENCODE"): // which names no session, neither here nor with a call
		r.Client = OpenCode
	}
	name := SessionVariables[0]
	switch { // those that are known to be set identify the session
	case r.env.Getenv(name) != "":
	case r.Client == Codex:
		name = SessionVariables[1]
	case r.Client == Gemini:
		name = SessionVariables[2]
	}
	if id := r.env.Getenv(name); isSessionID(id) {
		r.SessionID = id
	} else if id != "" {
		r.warn("%s %q is not the name of a session; ignored", name, clip(id))
	}
	return nil
}

// ErrNoProject says that nothing names the project: the working directory was deleted, or is the root of a file system, where
// hosts without folders of their own start their servers.
var ErrNoProject = errors.New("no project: the host names none, and the working directory is the root of the file system or was deleted")

// NoProjectHint says what to do about ErrNoProject.
const NoProjectHint = "name one in the host's settings for dream-mcp: --project DIR is the folder that you work in, --memory-dir DIR a memory without a project; dream-mcp install HOST takes both and writes them there"

// findProject takes the first that names a project: the flag, the environment, the client, the working directory. The root of a
// file system is a project only when a person names it: clients without a folder name it too. The working directory is unknown when it was deleted.
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
		use(r.env.Folder, FromClient)
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

// isDirName reports whether a text may be CLAUDE_CODE_PROJECT_DIR_NAME.
func isDirName(s string) bool { return len(s) <= 64 && plain.MatchString(s) }

func (r *resolver) findConfig() error {
	named := r.env.Getenv("CLAUDE_CONFIG_DIR")
	switch {
	case named != "":
		if !filepath.IsAbs(named) {
			named = filepath.Join(r.env.Dir, named)
		}
		r.ConfigDir = real(nfc(named)) // the host uses the composed form, whatever was typed
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
	r.CleanupDays = DefaultCleanupDays
	r.Settings["cleanup_days"] = Setting{strconv.Itoa(DefaultCleanupDays), "default"}
	for _, v := range values[int](r, "cleanupPeriodDays") {
		if v.value < 1 || v.value > maxDays {
			r.warn("cleanupPeriodDays %d in %q is not between 1 and %d; ignored", v.value, v.path, maxDays)
			continue
		}
		r.CleanupDays = v.value
		r.Settings["cleanup_days"] = Setting{strconv.Itoa(v.value), v.path}
		break
	}
	return nil
}

// maxDays bounds cleanupPeriodDays so that a deadline reckoned from it is still a date: a thousand years.
const maxDays = 365_000
