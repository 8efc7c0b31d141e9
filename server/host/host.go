// Package host knows the programs that start us: where they keep their settings, transcripts and memories, what they have
// switched off, and which project and session we are in.
//
// It promises that Resolve depends on nothing but the Environment, the Flags and the files that these name; that it
// writes nothing and runs nothing (git is read from its files); that every read is bounded and no file of others (malformed,
// unreadable, a fifo, huge) makes it fail: what could not be used is a warning. A file inside a project decides where memories
// are written only when the person has trusted that project in Claude Code.
//
// Nothing is held open or kept, so a crash leaves nothing.
//
// It does not promise to see what only lives inside the host: a session's /pause-memory, --settings, rollout flags, settings
// delivered by a server, a registry or a device profile. Nor does it follow changes: a Setup is what was true when Resolve read it.
package host

import (
	"os"
	"runtime"

	"dream-mcp/consolidate/transcript"

	"golang.org/x/text/unicode/norm"
)

// Environment is the world as a value, so that a test can give another one.
type Environment struct {
	Getenv  func(string) string // nil: no variable is set
	Home    string              // the person's home directory, absolute; "" when unknown
	Dir     string              // working directory, absolute
	Folder  string              // the project as the client names it, absolute; "" when it names none
	GOOS    string              // as runtime.GOOS; "" is that of this system
	Managed string              // directory of Claude Code's managed settings; "" is the system's own
}

// Process is the Environment of this process.
func Process() Environment {
	env := Environment{Getenv: os.Getenv, GOOS: runtime.GOOS}
	env.Home, _ = os.UserHomeDir()
	env.Dir, _ = os.Getwd()
	return env
}

// Flags are what the command line says; they win over all else. Unset are "", nil, and for the numbers anything below zero.
type Flags struct {
	Project, MemoryDir string // relative ones are taken from Environment.Dir
	Transcripts        []string
	Mode               string
	MinHours           float64
	MinSessions        int
	Unattended         bool
	Client             string // the host, where the environment may not say it
	Asked              bool   // a person asked for this dream at a terminal
}

// NoFlags is a command line that says nothing.
var NoFlags = Flags{MinHours: -1, MinSessions: -1}

// Setting is a value in effect and where it came from: a flag, a variable, a file, or "default".
type Setting struct {
	Value  string `json:"value"`
	Source string `json:"source"`
}

// Switch is a state and what decided it, named with its variable or file.
type Switch struct {
	On  bool
	Why string
}

// Candidate is another directory that may hold memories of this project.
type Candidate struct {
	Path   string `json:"path"`
	Why    string `json:"why"`
	Exists bool   `json:"exists"`
	Topics int    `json:"topics"` // Markdown files but the index and what hosts generate, there and one folder below
}

// The modes, from the most reserved to the boldest.
const (
	ModeOff     = "off"
	ModeSuggest = "suggest"
	ModeApprove = "approve"
	ModeAuto    = "auto"
)

// Modes are all of them, in that order.
var Modes = []string{ModeOff, ModeSuggest, ModeApprove, ModeAuto}

// The sources of Settings["project"] that a caller decides by.
const (
	FromClient           = "the client"
	FromWorkingDirectory = "working directory"
)

// Defaults: the numbers are those of Claude Code's own dream and of its retention.
const (
	DefaultMode        = ModeSuggest
	DefaultMinHours    = 24.0
	DefaultMinSessions = 5
	DefaultCleanupDays = 30

	DefaultMaxArchiveMiB = 1 << 10
)

// The programs that Client can name.
const (
	ClaudeCode = "claude-code"
	Codex      = "codex"
	Gemini     = "gemini"
	OpenCode   = "opencode"
	Cursor     = "cursor" // in its hooks alone
)

// Setup is all that is known of who started us, and where. Paths are absolute, and real as far as they exist.
type Setup struct {
	Client        string   // ClaudeCode, Codex, Gemini; "" when the environment does not say
	Project       string   // the directory worked in: flag, environment, client, working directory; "" when none names one
	Root          string   // the main checkout of its repository, else Project: what memories are keyed by
	Checkout      string   // the checkout that Project is in, else Project; "" where that is the home directory or a root
	Worktrees     []string // the repository's linked checkouts, live or removed, sorted; Project may be in one
	ConfigDir     string   // CLAUDE_CONFIG_DIR or ~/.claude; "" without a home; need not exist
	ProjectsDir   string   // ConfigDir/projects; "" without a ConfigDir
	DirName       string   // CLAUDE_CODE_PROJECT_DIR_NAME where it counts
	Transcripts   []string // folders that the person named
	AllowSecrets  []string // sums of values that the person has declared to be no secret
	MemoryDir     string   // need not exist
	MemoryWhy     string
	Candidates    []Candidate
	SessionID     string // of the session at our start: stale after a /clear
	Enabled       Switch // whether dreams may be at all: the first gate
	MemoryOff     bool   // Enabled is off because memory itself is: nothing is to be written
	Mode          string
	ModeSource    string
	ModeKeys      []string // where config.json names the mode for this project, or would
	ConfigFile    string   // config.json; "" where no home is known; need not exist
	MinHours      float64
	MinSessions   int
	MaxArchiveMiB int  // how much the archive of past dreams may take up
	Unattended    bool // no person watches what a model does here
	Asked         bool // a person asked for this dream at a terminal
	Limits        Limits
	CleanupDays   int     // after so many days the host sweeps a transcript
	Recall        Setting // what the Client's model is shown unasked
	Loaded        bool    // the Client loads the index of this memory itself

	recalls []recallSource

	// Others are the hosts beside Claude Code whose sessions count, be there any or not.
	Others []transcript.Other

	// Settings says of "project", "mode", "min_hours", "min_sessions", "memory_dir", "max_archive_mib", "transcripts", "hosts", "unattended" and "cleanup_days" where each came from.
	Settings map[string]Setting
	Warnings []string // what a person should know, each once, at most maxWarnings and a last one that says so
}

// Roots returns the directories whose sessions belong to the project, in the Unicode form (NFC) in
// which Claude Code names folders after them: the project itself first. Without a project there are none.
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
