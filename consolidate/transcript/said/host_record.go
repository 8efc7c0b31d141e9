package said

import (
	"slices"
	"strconv"
	"strings"
)

// A HostState is what the lines read so far say about those that follow. It is part of the parser state.
type HostState struct {
	CWD, Branch string
	Origin      string // the session whose words follow: another one in a fork
	Said        int    // of its words
	Items       bool   // what was typed is in items
	Drop        bool   // the next text in the person's place is not typed
}

func (h *HostState) SetCWD(v Raw) {
	if cwd := v.Text(); cwd != "" {
		h.CWD = cwd
	}
}

// NameWords gives the words of r a UUID. Copies of them in a fork get the same one, because they have no other name in
// common.
func (h *HostState) NameWords(r *Record, words Raw) {
	h.Said++
	r.UUID = Quoted(strconv.FormatUint(Sum(h.Origin, strconv.Itoa(h.Said), string(words)), 16))
}

// Each calls field with every key of an object and its value; with none if it is not an object.
func (v Raw) Each(field func(key string, value Raw)) {
	if len(v) == 0 || v[0] != '{' {
		return
	}
	eachField(v, 0, func(key []byte, i int) int {
		end := skip(v, i, 0)
		if end != malformed {
			field(validText(key), v[i:end:end])
		}
		return end
	})
}

// Items calls item with each value of an array, up to maxBlocks, or with v itself if it is not an array.
func (v Raw) Items(item func(Raw)) {
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

// IsWhole reports whether a text is one value.
func (v Raw) IsWhole() bool { return skip(v, 0, 0) == len(v) }

// Field returns a field of an object.
func (v Raw) Field(name string) (found Raw) {
	v.Each(func(key string, value Raw) {
		if key == name {
			found = value
		}
	})
	return found
}

// Texts returns the blocks of a content that have text, of the given types or, without any, of all.
func (v Raw) Texts(types ...string) (texts []Block) {
	for _, b := range blocks(v) {
		if !b.Text.Empty() && (len(types) == 0 || slices.ContainsFunc(types, b.Type.Is)) {
			texts = append(texts, Block{Type: TextType, Text: b.Text})
		}
	}
	return texts
}

// Joined returns the texts of blocks, each on lines of its own.
func Joined(texts []Block) string {
	all := make([]string, len(texts))
	for i, b := range texts {
		all[i] = b.Text.Text()
	}
	return strings.Join(all, "\n")
}

var (
	UserType      = Raw(`"user"`)
	AssistantType = Raw(`"assistant"`)
	MemoryType    = Raw(`"memory"`)
	OtherType     = Raw(`"other"`)
	useType       = Raw(`"tool_use"`)
	resultType    = Raw(`"tool_result"`)
	MetaType      = Raw(`"meta"`)
	True          = Raw(`true`)
)

// Used adds the call of a tool. Hosts with their own names for the tools of servers end them with an underscore or a
// dash and the tool's name; our tools get the names that they have in Claude Code.
func (r *Record) Used(id, name, input Raw) {
	for _, own := range ownTools {
		if tool := strings.TrimPrefix(own, "__"); name.Is(tool) || name.ends("_"+tool) || name.ends("-"+tool) {
			name = Quoted("mcp" + own)
		}
	}
	r.Type = AssistantType
	r.Message.Blocks = append(r.Message.Blocks, Block{Type: useType, ID: id, Name: name, Input: input})
}

// Said adds what the model said and asked in a content of blocks: text and tool_use.
func (r *Record) Said(content Raw) {
	r.Type = AssistantType
	content.Items(func(b Raw) {
		if b.Field("type").Is("tool_use") {
			r.Used(b.Field("id"), b.Field("name"), b.Field("input"))
		} else if b.IsString() || b.Field("type").Is("text") {
			r.Message.Blocks = append(r.Message.Blocks, b.Texts()...)
		}
	})
}

// Answered adds the result of a tool.
func (r *Record) Answered(id Raw, output string) {
	r.Type = UserType
	r.Message.Blocks = append(r.Message.Blocks, Block{Type: resultType, ToolUseID: id, Content: Quoted(output)})
}

// TypedBlocks adds the blocks that a person typed. notTyped are the beginnings of texts that the host
// adds as a whole; strip removes from a text what it added.
func (r *Record) TypedBlocks(blocks []Block, notTyped []string, strip func(string) string) {
	for _, b := range blocks {
		text := b.Text.Text()
		if kept := TypedIn(text, notTyped, strip); kept != text {
			b.Text = Quoted(kept)
		}
		if !b.Text.Empty() {
			r.Type = UserType
			r.Message.Blocks = append(r.Message.Blocks, b)
		}
	}
}

// TypedIn returns the part of a text that a person typed. A text that opens a dream stays whole.
func TypedIn(text string, notTyped []string, strip func(string) string) string {
	if OpensDream(text) {
		return text
	}
	text = strip(text)
	trimmed := strings.TrimSpace(text)
	if form, _ := formOf(User, trimmed); form != nil && form.words == nil {
		return ""
	}
	if slices.ContainsFunc(notTyped, func(begin string) bool { return strings.HasPrefix(trimmed, begin) }) {
		return ""
	}
	return text
}
