package host

import (
	"cmp"
	"os/exec"
	"path/filepath"
	"slices"

	"dream-mcp/consolidate/transcript/said"
)

// A Host is a program that people talk to, and what is known of it. What is zero does not exist, or is not known.
type Host struct {
	ID   string // as it is typed
	Name string // as its makers write it

	Program string // its command, by which it is found
	Tried   string // the newest version that its sessions were read with
	Get     string // the command that installs it, of one to recommend
	Ask     string // what a person types to ask for a dream; "": any words

	Variables Variables
	Settings  *Settings
	Hooks     *Hooks
	Sessions  []Sessions // of this version and of earlier ones

	// Background returns the command line that runs the host without a person, and the folder to start it in. The
	// prompt is its standard input. It may use our tools and those that read the project, and nothing else.
	Background func(RunOptions) (line []string, dir string, err error)

	Reads  []string // tools that change nothing and ask nobody but the person
	Shells []string // tools that run a command line
}

// Variables are variables of the environment in which the host starts programs.
type Variables struct {
	Hook    []string // each is set in hooks, beside those of another host that it imitates
	Started []string // each shows that the host started us
	Session string   // holds the ID of the session
	Nested  []string // beside Session, keep a host from starting in a session of this one

	Trusting []string // NAME=VALUE: lets a background dream run in a folder of ours
}

// A Place is a folder: what a variable names, with Below after it, else Home in the person's home directory.
type Place struct {
	Variable, Below, Home string

	Applications bool // it is where desktop applications keep their settings; the rest is not used
}

// In returns the place; "" if no home is known. A variable that is not an absolute path is ignored.
func (p Place) In(getenv func(string) string, home, goos string) string {
	if p.Applications {
		switch goos {
		case "darwin":
			p = Place{Home: "Library/Application Support"}
		case "windows":
			p = Place{Variable: "AppData", Home: "AppData/Roaming"}
		default:
			p = Place{Home: ".config"}
		}
	}
	if dir := getenv(p.Variable); filepath.IsAbs(dir) {
		return filepath.Join(dir, p.Below)
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, p.Home)
}

// Settings are the files in which the host lists its servers.
type Settings struct {
	Place   Place
	Files   []string                  // with a person's servers: the last that exists is used, else the first
	Project string                    // with a project's servers
	List    string                    // the member or table of these files that lists the servers
	Entry   func(call []string) Entry // the entry of a command line; nil: the files are TOML
	Lock    string                    // the end of the name of the folder that is the host's lock of such a file while it writes; "": it has none
	Skill   string                    // a skill that asks for a dream, below Place: the host asks no server for prompts
	Nowhere bool                      // it starts servers outside of any project
	Allow   *Allow                    // by which the host asks nothing before some of our tools
}

// Allow is the list of a JSON file with the tools that the host asks nothing about.
type Allow struct {
	Place Place
	File  string
	Keys  []string // the path of the list
	Rule  func(server, tool string) string
}

// An Entry is a server in a host's JSON file.
type Entry struct {
	Type    string `json:"type,omitempty"`
	Command any    `json:"command"`        // a string, or a list with the arguments
	Args    any    `json:"args,omitempty"` // nil or a list, which may be empty
	Tools   any    `json:"tools,omitempty"`
	Enabled bool   `json:"enabled,omitempty"`
}

// PlainEntry is the entry of most hosts.
func PlainEntry(call []string) Entry {
	if len(call) == 1 {
		return Entry{Command: call[0]}
	}
	return Entry{Command: call[0], Args: call[1:]}
}

// typedEntry says what kind of server it is.
func typedEntry(call []string) Entry { return Entry{Type: "stdio", Command: call[0], Args: call[1:]} }

// localEntry has the arguments in the command.
func localEntry(call []string) Entry { return Entry{Type: "local", Command: call, Enabled: true} }

// Hooks describes the hooks of a host, and how its settings list them.
type Hooks struct {
	Events  []string // at which a dream may be due, or ends
	Prompt  string   // the event before a prompt, for memories shown then
	Tool    string   // the event before a tool, for the guard
	Timeout int      // in the host's unit; ours answer in milliseconds
	Named   bool     // the command needs --client: the environment of a hook does not say which host it is
	Place   Place    // of File; zero: beside the file of the servers
	File    string   // "": the file of the servers
	Flat    bool     // an event lists its hooks, not groups of hooks, and the file has a version
	Plugin  string   // they are a program, in this text

	Own      []string // events that only this host has, whatever the environment says
	Silent   bool     // the person is shown no message of a hook
	SilentAt []string // the person is shown no message at these events
	NoGuard  bool     // how the host names its tools is not known
	Note     string   // what a person must do before the hooks run

	// Answer returns the answer to an event, with texts for the model and the person; nil: Claude Code's form.
	Answer func(event, model, person string) any

	// Deny returns the answer that denies a tool; nil: Claude Code's form.
	Deny func(reason string) any
}

// Sessions are those that the host keeps in one form.
type Sessions struct {
	said.Format
	Place Place  // of the folder that Format.Folders are below
	File  string // variable that names the one file of all sessions, relative to Place or absolute
}

// Find returns the host with an ID; nil if there is none.
func Find(id string) *Host {
	if i := slices.IndexFunc(List, func(h *Host) bool { return h.ID == id }); i >= 0 {
		return List[i]
	}
	return nil
}

// IDs returns the IDs of the hosts that match.
func IDs(match func(*Host) bool) (all []string) {
	for _, h := range List {
		if match(h) {
			all = append(all, h.ID)
		}
	}
	return all
}

// Name returns how the makers of the host with an ID write it, or the ID.
func Name(id string) string {
	if h := Find(id); h != nil {
		return h.Name
	}
	return id
}

// Asks returns what a person types to ask for a dream.
func (h *Host) Asks() string { return cmp.Or(h.Ask, "“dream over the memory of this project”") }

// Shows reports whether the host can show its model memories unasked.
func (h *Host) Shows() bool { return h.Hooks != nil }

// Guards reports whether the host can deny a tool while a dream is open.
func (h *Host) Guards() bool { return h.Hooks != nil && !h.Hooks.NoGuard }

// Dreams reports whether the host can dream without a person.
func (h *Host) Dreams() bool { return h.Background != nil }

// Configured reports whether it is known where the host lists its servers.
func (h *Host) Configured() bool { return h.Settings != nil }

// Read reports whether sessions of the host are read.
func (h *Host) Read() bool { return len(h.Sessions) > 0 }

// OnPath reports whether the host's command is installed.
func (h *Host) OnPath() bool {
	_, err := exec.LookPath(h.Program)
	return err == nil
}
