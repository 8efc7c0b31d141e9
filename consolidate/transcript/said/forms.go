package said

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
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

// An Other is a host beside Claude Code whose sessions are searched too.
type Other struct {
	Host Host   // any but ClaudeCode
	Home string // where it keeps its things (~/.codex, ~/.gemini, ~/.openclaw, ~/.local/share/opencode); need not exist
}

// A Folder holds transcripts of the project.
type Folder struct {
	Path    string
	Host    Host
	Why     string // what made it one of ours: "slug of the project", "named by DREAM_TRANSCRIPTS" …
	Problem string // why it cannot be read; empty when it can

	Trust Trust
	Deep  int        // how many levels of folders lie between it and its files
	Of    Collection // it is none of files, but this; else nil
}

// Trust says which sessions of a folder are ours.
type Trust int

const (
	ByRecord Trust = iota // those that recorded a working directory of ours
	BySlug                // those, and those that recorded none
	Whole                 // all
)

// A form is how a host other than Claude Code keeps its sessions. Exactly one of line, whole and Collect is set.
type form struct {
	// folders are those that may hold sessions, each Path a pattern below the host's home. ours returns what reports whether
	// one is of a project with such roots; nil: its sessions record that themselves.
	folders []Folder
	ours    func(home string, roots []string) func(path string) bool

	// id is a session's, by the name of its file without the ending; empty where the file is not a session.
	id func(stem string) string

	// session is what the ids of the files of one session share; nil: a session has one file.
	session func(id string) string

	// endings are those of its files.
	endings []string

	// line reads one JSON object of a file that grows by lines. h is what the lines before it say for those that follow.
	line func(object raw, r *record, h *hostState)

	// whole turns a file that is rewritten, or must be known to its end, into Claude Code's lines.
	whole func(text []byte) []byte

	// Collect makes the collection at a folder's path, if that is not a folder but a file of many sessions; id and endings are
	// not used then. ours reports by its working directories whether a session is the project's.
	Collect func(path string, ours func(cwds []string) bool) Collection
}

// Forms are those of all hosts but Claude Code.
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
	OpenCode: { // a channel of releases may have a database of its own
		folders: []Folder{{Path: "opencode.db", Why: openCodeWhy}, {Path: "opencode-*.db", Why: openCodeWhy}},
		Collect: newOpenCodeDB,
	},
}

// Folders returns the folders of the host that may hold sessions of a project with such roots.
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

// matching returns what lies below a folder under a pattern. Links are followed only at its end.
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

// A hostState is what lines of a session say for those that follow. It is part of a state.
type hostState struct {
	CWD, Branch string
	Origin      string // the session whose words follow: another one in a fork
	Said        int    // of its words
	Items       bool   // Codex: what was typed is in items
}

func (h *hostState) setCWD(v raw) {
	if cwd := v.text(); cwd != "" {
		h.CWD = cwd
	}
}

// name gives words a UUID that their copies in a fork share: they have nothing else in common.
func (h *hostState) name(r *record, words raw) {
	h.Said++
	r.UUID = quoted(strconv.FormatUint(Sum(h.Origin, strconv.Itoa(h.Said), string(words)), 16))
}

// each calls field with every key of an object and its value, and reports whether it is an object.
func (v raw) each(field func(key string, value raw)) bool {
	if len(v) == 0 || v[0] != '{' {
		return false
	}
	return object(v, 0, func(key []byte, i int) int {
		end := skip(v, i, 0)
		if end != odd {
			field(validText(key), v[i:end:end])
		}
		return end
	}) != odd
}

// items calls item with every value of an array, up to maxBlocks; any other value is the only one.
func (v raw) items(item func(raw)) {
	if len(v) == 0 || v[0] != '[' {
		item(v)
		return
	}
	n := 0
	array(v, 0, func(i int) int {
		end := skip(v, i, 0)
		if n++; end != odd && n <= maxBlocks {
			item(v[i:end:end])
		}
		return end
	})
}

// isWhole reports whether a text is one value.
func (v raw) isWhole() bool { return skip(v, 0, 0) == len(v) }

// field is one field of an object.
func (v raw) field(name string) (found raw) {
	v.each(func(key string, value raw) {
		if key == name {
			found = value
		}
	})
	return found
}

// texts are the blocks of a content that have text, and are of one of some types; none: of whatever type they call
// themselves.
func (v raw) texts(types ...string) (texts []block) {
	for _, b := range blocks(v) {
		if !b.Text.empty() && (len(types) == 0 || slices.ContainsFunc(types, b.Type.is)) {
			texts = append(texts, block{Type: textType, Text: b.Text})
		}
	}
	return texts
}

// joined is the text of some blocks.
func joined(texts []block, separator string) string {
	all := make([]string, len(texts))
	for i, b := range texts {
		all[i] = b.Text.text()
	}
	return strings.Join(all, separator)
}

var (
	userType      = raw(`"user"`)
	assistantType = raw(`"assistant"`)
	useType       = raw(`"tool_use"`)
	resultType    = raw(`"tool_result"`)
	metaType      = raw(`"meta"`)
	isTrue        = raw(`true`)
)

// used adds what a tool was asked. A host that has its own names for the tools of servers ends them with an underscore and the
// tool's name; ours get Claude Code's names.
func (r *record) used(id, name, input raw) {
	for _, own := range ownTools {
		if tool := strings.TrimPrefix(own, "__"); name.is(tool) || name.ends("_"+tool) {
			name = quoted("mcp" + own)
		}
	}
	r.Type = assistantType
	r.Message.Blocks = append(r.Message.Blocks, block{Type: useType, ID: id, Name: name, Input: input})
}

// answered adds what a tool answered.
func (r *record) answered(id raw, output string) {
	r.Type = userType
	r.Message.Blocks = append(r.Message.Blocks, block{Type: resultType, ToolUseID: id, Content: quoted(output)})
}

// typedBlocks makes a record of what a person typed, where strip removes what the host put beside it.
func (r *record) typedBlocks(h Host, blocks []block, strip func(string) string) {
	for _, b := range blocks {
		text := b.Text.text()
		if kept := typedIn(h, text, strip); kept != text {
			b.Text = quoted(kept)
		}
		if !b.Text.empty() {
			r.Type = userType
			r.Message.Blocks = append(r.Message.Blocks, b)
		}
	}
}

// typedIn is what a person typed of a text. What opens a dream is never taken for something else.
func typedIn(h Host, text string, strip func(string) string) string {
	if opensDream(text) {
		return text
	}
	text = strip(text)
	if injected, _ := isNotSaid(h, User, strings.TrimSpace(text)); injected {
		return ""
	}
	return text
}

// dated is how deep Codex's sessions lie: year, month, day.
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

// stem is a file's name without the ending, if it has one of the form's. ".jsonl.deleted.…" and
// ".jsonl.reset.…" are not: a person removed those.
func (f *form) stem(name string) (stem string, ok bool) {
	for _, ending := range f.endings {
		if stem, ok = strings.CutSuffix(name, ending); ok {
			return stem, true
		}
	}
	return "", false
}

// Session names what the gate counts once.
func (f File) Session() string {
	if form := Forms[f.Host]; form != nil && form.session != nil {
		return form.session(f.ID)
	}
	return f.ID
}
