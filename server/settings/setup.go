// Package settings finds out which program started us, in which project and session, and where that program keeps
// settings, transcripts and memories.
//
// Resolve reads the Environment, the Flags and the files that these name, and nothing else. It writes nothing and
// starts no process; git's files are read directly. Every read is bounded. A file of another program never makes it
// fail: a malformed, unreadable or huge file, or a fifo, is a warning. A file inside a project can move the memory only
// if the person has trusted that project in Claude Code.
//
// Not promised: to see what exists only inside the host, such as a session's /pause-memory, --settings, rollout flags,
// and settings from a server, a registry or a device profile. A Setup does not follow changes.
package settings

import (
	"dream-mcp/consolidate/transcript/said"
	"os"
	"runtime"

	"golang.org/x/text/unicode/norm"

	"dream-mcp/consolidate"
)

// Environment is what a process knows at its start.
type Environment struct {
	Getenv  func(string) string // nil: no variable is set
	Home    string              // the person's home directory, absolute; "" if unknown
	Dir     string              // working directory, absolute
	Folder  string              // the project that the client names, absolute; "" for none
	GOOS    string              // "" is runtime.GOOS
	Managed string              // directory of Claude Code's managed settings; "" is the system's
}

// Process returns the Environment of this process.
func Process() Environment {
	env := Environment{Getenv: os.Getenv, GOOS: runtime.GOOS}
	env.Home, _ = os.UserHomeDir()
	env.Dir, _ = os.Getwd()
	return env
}

// Flags are the flags of the command line, which override all else. The command line has checked their values: a mode
// is one of Modes, and numbers are within their bounds. A negative number is unset.
type Flags struct {
	Project, MemoryDir string // relative to Environment.Dir
	Transcripts        []string
	Mode               string
	MinHours           float64
	MinSessions        int
	Unattended         bool
	Client             string // the host, if the environment may not say it
	Asked              bool   // a person asked for this dream at a terminal
}

// NoFlags are the flags of a command line without any.
var NoFlags = Flags{MinHours: -1, MinSessions: -1}

// Setting is a value in effect, and its source: a flag, a variable, a file, or "default".
type Setting struct {
	Value  string `json:"value"`
	Source string `json:"source"`
}

// Candidate is another directory that may hold memories of the project.
type Candidate struct {
	Path   string `json:"path"`
	Why    string `json:"why"`
	Exists bool   `json:"exists"`
	Topics int    `json:"topics"` // memories there
}

// The modes: what happens when a dream is due.
const (
	ModeOff     = "off"
	ModeSuggest = "suggest"
	ModeApprove = "approve"
	ModeAuto    = "auto"
)

// Modes lists the modes, the most cautious first.
var Modes = []string{ModeOff, ModeSuggest, ModeApprove, ModeAuto}

// Two sources of Settings["project"].
const (
	fromClient           = "the client"
	FromWorkingDirectory = "working directory"
)

// Defaults. The numbers are those of Claude Code's own dream and of its retention.
const (
	defaultMode        = ModeSuggest
	defaultMinHours    = 24.0
	defaultMinSessions = 5
	defaultCleanupDays = 30

	defaultMaxArchiveMiB = 1 << 10
)

// ClaudeCode is the Setup.Client of the host whose memory directories are used.
const ClaudeCode = string(said.ClaudeCode)

// Setup is the result of Resolve. Paths are absolute, without links as far as they exist, and need not exist.
type Setup struct {
	Client        string   // the ID of a host; "" if unknown
	Project       string   // named by a flag, the environment, the client or the working directory; "" for none
	Root          string   // the main checkout of its repository, else Project: it decides on the memory
	Checkout      string   // the checkout that Project is in, else Project; "" if that is the home directory or a root
	Worktrees     []string // the repository's linked worktrees, removed ones included, sorted; Project may be in one
	ConfigDir     string   // CLAUDE_CONFIG_DIR or ~/.claude; "" without a home
	ProjectsDir   string   // ConfigDir/projects; "" without a ConfigDir
	DirName       string   // CLAUDE_CODE_PROJECT_DIR_NAME if it applies
	Transcripts   []string // folders that the person named
	AllowSecrets  []string // sums of values that the person has declared not to be secrets
	MemoryDir     string
	MemoryWhy     string // why it is that one
	MergeInto     string // the folder that Claude Code has made for the project since, into which the person may merge it; "" for none
	Candidates    []Candidate
	SessionID     string             // of the session at our start: stale after a /clear
	Enabled       consolidate.Switch // whether dreams are on: the first gate
	Mode          string
	ModeSource    string
	ModeKeys      []string // the path of the mode for this project in config.json
	ConfigFile    string   // config.json; "" if no home is known
	MinHours      float64
	MinSessions   int
	MaxArchiveMiB int  // limit of the archive of past dreams
	Unattended    bool // no person watches what the model does
	Asked         bool // a person asked for this dream at a terminal
	Limits        Limits
	CleanupDays   int     // after how many days the host removes a transcript
	Recall        Setting // what the Client's model is shown unasked
	Loaded        bool    // the Client loads the index of this memory itself

	recalls []recallSource

	// Homes are of the hosts beside Claude Code whose sessions are read, whether there are any or not.
	Homes []said.HostHome

	// Settings has the source of each setting by its key in config.json, and of "project", "unattended" and
	// "cleanup_days".
	Settings map[string]Setting
	Warnings []string // each once, at most maxWarnings and a last one that says so
}

// Roots returns the directories whose sessions belong to the project, the project first; none without a project. They
// are in the Unicode form (NFC) after which Claude Code names folders.
func (s Setup) Roots() []string {
	if s.Project == "" {
		return nil
	}
	roots := append([]string{s.Project, s.Root}, s.Worktrees...)
	for i, root := range roots {
		roots[i] = norm.NFC.String(root)
	}
	return roots
}
