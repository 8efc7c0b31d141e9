package said

import (
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

// A form is how a host other than Claude Code keeps its sessions. Exactly one of line, whole and collect is set.
type form struct {
	// folders are those below the host's home that may hold sessions of a project with such roots.
	Folders func(home string, roots []string) []Folder

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

	// collect makes the collection at a folder's path, where a session is not a file; id and endings are not used then. ours
	// reports by its working directories whether a session is the project's.
	Collect func(path string, ours func(cwds []string) bool) Collection
}

// Forms are those of all hosts but Claude Code.
var Forms = map[Host]*form{
	Codex:    {Folders: codexFolders, id: codexID, endings: []string{".jsonl"}, line: codexLine},
	Gemini:   {Folders: geminiFolders, id: geminiID, session: GeminiSession, endings: []string{".json", ".jsonl"}, whole: geminiWhole},
	OpenClaw: {Folders: openClawFolders, id: openClawID, endings: []string{".jsonl"}, line: openClawLine},
	OpenCode: {Folders: openCodeFolders, Collect: newOpenCodeDB},
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
	Items       bool   // Codex: what was typed stands in items
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

// field is one field of an object.
func (v raw) field(name string) (found raw) {
	v.each(func(key string, value raw) {
		if key == name {
			found = value
		}
	})
	return found
}

// texts appends a block of text for each part of a content that has one, of whatever type it calls
// itself.
func (v raw) texts(blocks []block, types ...string) []block {
	v.items(func(item raw) {
		text := item
		if !item.isString() {
			ours := len(types) == 0
			item.each(func(key string, value raw) {
				switch key {
				case "text":
					text = value
				case "type":
					for _, t := range types {
						ours = ours || value.is(t)
					}
				}
			})
			if !ours {
				return
			}
		}
		if !text.empty() && len(blocks) < maxBlocks {
			blocks = append(blocks, block{Type: textType, Text: text})
		}
	})
	return blocks
}

var (
	userType      = raw(`"user"`)
	assistantType = raw(`"assistant"`)
	useType       = raw(`"tool_use"`)
	resultType    = raw(`"tool_result"`)
	metaType      = raw(`"meta"`)
	isTrue        = raw(`true`)
)

// used makes a record of what a tool was asked.
func (r *record) used(id, name, input raw) {
	r.Type = assistantType
	r.Message.Blocks = append(r.Message.Blocks, block{Type: useType, ID: id, Name: name, Input: input})
}

// answered makes a record of what a tool answered: text, or a content of texts.
func (r *record) answered(id raw, output raw) {
	var texts []string
	for _, b := range output.texts(nil) {
		texts = append(texts, b.Text.text())
	}
	r.Type = userType
	r.Message.Blocks = append(r.Message.Blocks, block{Type: resultType, ToolUseID: id, Content: quoted(strings.Join(texts, "\n"))})
}

// typedBlocks makes a record of what a person typed, where strip takes away what the host put beside.
func (r *record) typedBlocks(blocks []block, strip func(string) string) {
	for _, b := range blocks {
		text := b.Text.text()
		if !strings.Contains(text, DreamMarker) { // what opens a dream is never taken for something else
			if kept := strip(text); kept != text {
				b.Text = quoted(kept)
			}
		}
		if !b.Text.empty() {
			r.Type = userType
			r.Message.Blocks = append(r.Message.Blocks, b)
		}
	}
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
