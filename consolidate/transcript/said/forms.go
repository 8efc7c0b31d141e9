package said

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A Host is a program whose sessions are read.
type Host string

// The hosts. What the others write is turned into Claude Code's records, by a form for each.
const (
	ClaudeCode Host = "claude-code"
	Codex      Host = "codex"
	Gemini     Host = "gemini"
	OpenClaw   Host = "openclaw"
	OpenCode   Host = "opencode"
)

// An Other is a host beside Claude Code whose sessions are read.
type Other struct {
	Host Host   // any but ClaudeCode
	Home string // ~/.codex, ~/.gemini, ~/.openclaw, ~/.local/share/opencode or the like; need not exist
}

// A Folder holds transcripts of the project.
type Folder struct {
	Path    string
	Host    Host
	Why     string // why it is the project's: "slug of the project", "named by DREAM_TRANSCRIPTS" …
	Problem string // why it cannot be read; "" if it can

	Trust Trust
	Deep  int        // levels of folders between it and its files
	Of    Collection // in place of files, or nil
}

// Trust says which sessions of a folder are the project's.
type Trust int

const (
	ByRecord Trust = iota // those that recorded a working directory of the project
	BySlug                // those, and those that recorded none
	Whole                 // all
)

// A form is how a host other than Claude Code keeps its sessions. Exactly one of line, whole and Collect is set.
type form struct {
	// folders may hold sessions. Each Path is a pattern below the host's home. ours returns a function that reports whether one
	// belongs to a project with these roots; nil: the sessions record their project.
	folders []Folder
	ours    func(home string, roots []string) func(path string) bool

	// id returns a session's ID from the name of its file without the ending; "" if the file is not a session.
	id func(stem string) string

	// session returns what the IDs of the files of one session share; nil: a session has one file.
	session func(id string) string

	// endings are those of the files.
	endings []string

	// line reads a JSON object of a file that grows by lines. h is the state after the lines before it.
	line func(object Raw, r *Record, h *HostState)

	// whole turns a file that is rewritten, or must be known to its end, into Claude Code's lines.
	whole func(text []byte) []byte

	// Collect returns the collection at a folder's path, if that is one file of many sessions. Then id and endings are not used.
	// ours reports by its working directories whether a session is the project's.
	Collect func(path string, ours func(cwds []string) bool) Collection
}

// Forms has the form of each host but Claude Code.
var Forms = map[Host]*form{
	Codex: {
		folders: []Folder{
			{Path: "sessions", Why: "Codex's, of all projects: those that ran here", Deep: dated},
			{Path: "archived_sessions", Why: "Codex's archive, of all projects: those that ran here"},
		},
		id: codexID, endings: []string{".jsonl"}, line: codexLine,
	},
	Gemini: {
		folders: []Folder{{Path: "tmp/*/chats", Why: "Gemini CLI's, of this project", Trust: Whole}},
		ours:    geminiOurs,
		id:      geminiID, session: GeminiSession, endings: []string{".json", ".jsonl"}, whole: geminiWhole,
	},
	OpenClaw: {
		folders: []Folder{{Path: "agents/*/sessions", Why: "OpenClaw's, of one agent: those that ran here"}},
		id:      openClawID, endings: []string{".jsonl"}, line: openClawLine,
	},
	OpenCode: { // each release channel may have its own database
		folders: []Folder{{Path: "opencode.db", Why: openCodeWhy}, {Path: "opencode-*.db", Why: openCodeWhy}},
		Collect: newOpenCodeDB,
	},
}

// Folders returns the folders of the host that may hold sessions of a project with these roots.
func (o Other) Folders(roots []string) (found []Folder) {
	f := Forms[o.Host]
	if f == nil || o.Home == "" {
		return nil
	}
	if stat, err := os.Lstat(o.Home); err == nil && f.Collect != nil && stat.Mode().IsRegular() {
		return []Folder{{Path: o.Home, Host: o.Host, Why: f.folders[0].Why}} // OPENCODE_DB
	}
	ours := func(string) bool { return true }
	if f.ours != nil {
		ours = f.ours(o.Home, roots)
	}
	for _, folder := range f.folders {
		for _, path := range matching(o.Home, folder.Path) {
			stat, err := os.Stat(path)
			if err == nil && stat.IsDir() == (f.Collect == nil) && ours(path) {
				folder.Path, folder.Host = path, o.Host
				found = append(found, folder)
			}
		}
	}
	return found
}

// matching returns the paths below a folder that match a pattern. Links are followed only at the end.
func matching(folder, pattern string) (found []string) {
	first, rest, deeper := strings.Cut(pattern, "/")
	entries, _, err := ReadFolder(folder)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if ok, _ := path.Match(first, e.Name()); !ok {
			continue
		}
		at := filepath.Join(folder, e.Name())
		if !deeper {
			found = append(found, at)
		} else if e.IsDir() {
			found = append(found, matching(at, rest)...)
		}
	}
	slices.Sort(found)
	return found
}

// ByLines reports whether the host's files grow by lines that are not Claude Code's.
func (h Host) ByLines() bool { f := Forms[h]; return f != nil && f.line != nil }

// Rewritten reports whether the host's files do not merely grow.
func (h Host) Rewritten() bool { f := Forms[h]; return f != nil && f.line == nil }

// dated is the depth of Codex's sessions: year, month, day.
const dated = 3

// Named reports whether an entry of a folder is a file of sessions, its id, and the reason why it is not a session.
func (f Folder) Named(entry string) (id string, reason Reason, ok bool) {
	form := Forms[f.Host]
	if form == nil {
		return claudeCodeNamed(entry, f.Trust == Whole)
	}
	stem, ok := form.stem(entry)
	if !ok {
		return "", "", false
	}
	if id = form.id(stem); id == "" {
		reason = NoSession
	}
	return id, reason, true
}

// stem returns a file's name without the ending, if it has one of the form's. ".jsonl.deleted.…" and ".jsonl.reset.…" are sessions
// that a person removed.
func (f *form) stem(name string) (stem string, ok bool) {
	for _, ending := range f.endings {
		if stem, ok = strings.CutSuffix(name, ending); ok {
			return stem, true
		}
	}
	return "", false
}

// Session returns the ID under which the gate counts the file.
func (f File) Session() string {
	if form := Forms[f.Host]; form != nil && form.session != nil {
		return form.session(f.ID)
	}
	return f.ID
}
