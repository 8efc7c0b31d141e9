package said

import (
	"slices"
	"strconv"
	"strings"
)

// A hostState is what the lines read so far say about those that follow. It is part of the parser state.
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

// name gives the words of r a UUID. Copies of them in a fork get the same one, because they have no other name in common.
func (h *hostState) name(r *record, words raw) {
	h.Said++
	r.UUID = quoted(strconv.FormatUint(Sum(h.Origin, strconv.Itoa(h.Said), string(words)), 16))
}

// each calls field with every key of an object and its value; with none if it is not an object.
func (v raw) each(field func(key string, value raw)) {
	if len(v) == 0 || v[0] != '{' {
		return
	}
	object(v, 0, func(key []byte, i int) int {
		end := skip(v, i, 0)
		if end != malformed {
			field(validText(key), v[i:end:end])
		}
		return end
	})
}

// items calls item with each value of an array, up to maxBlocks, or with v itself if it is not an array.
func (v raw) items(item func(raw)) {
	if len(v) == 0 || v[0] != '[' {
		item(v)
		return
	}
	n := 0
	array(v, 0, func(i int) int {
		end := skip(v, i, 0)
		if n++; end != malformed && n <= maxBlocks {
			item(v[i:end:end])
		}
		return end
	})
}

// isWhole reports whether a text is one value.
func (v raw) isWhole() bool { return skip(v, 0, 0) == len(v) }

// field returns a field of an object.
func (v raw) field(name string) (found raw) {
	v.each(func(key string, value raw) {
		if key == name {
			found = value
		}
	})
	return found
}

// texts returns the blocks of a content that have text, of the given types or, without any, of all.
func (v raw) texts(types ...string) (texts []block) {
	for _, b := range blocks(v) {
		if !b.Text.empty() && (len(types) == 0 || slices.ContainsFunc(types, b.Type.is)) {
			texts = append(texts, block{Type: textType, Text: b.Text})
		}
	}
	return texts
}

// joined returns the texts of blocks, each on lines of its own.
func joined(texts []block) string {
	all := make([]string, len(texts))
	for i, b := range texts {
		all[i] = b.Text.text()
	}
	return strings.Join(all, "\n")
}

var (
	userType      = raw(`"user"`)
	assistantType = raw(`"assistant"`)
	useType       = raw(`"tool_use"`)
	resultType    = raw(`"tool_result"`)
	metaType      = raw(`"meta"`)
	isTrue        = raw(`true`)
)

// used adds the call of a tool. Hosts with their own names for the tools of servers end them with an underscore and the tool's
// name; our tools get the names that they have in Claude Code.
func (r *record) used(id, name, input raw) {
	for _, own := range ownTools {
		if tool := strings.TrimPrefix(own, "__"); name.is(tool) || name.ends("_"+tool) {
			name = quoted("mcp" + own)
		}
	}
	r.Type = assistantType
	r.Message.Blocks = append(r.Message.Blocks, block{Type: useType, ID: id, Name: name, Input: input})
}

// answered adds the result of a tool.
func (r *record) answered(id raw, output string) {
	r.Type = userType
	r.Message.Blocks = append(r.Message.Blocks, block{Type: resultType, ToolUseID: id, Content: quoted(output)})
}

// typedBlocks adds the blocks that a person typed. strip removes from a text what the host added.
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

// typedIn returns the part of a text that a person typed. A text that opens a dream stays whole.
func typedIn(h Host, text string, strip func(string) string) string {
	if opensDream(text) {
		return text
	}
	text = strip(text)
	if form, _ := formOf(h, User, strings.TrimSpace(text)); form != nil && form.words == nil {
		return ""
	}
	return text
}
