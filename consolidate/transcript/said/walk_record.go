package said

// A Record is one JSON object of a transcript, as far as it matters here: its values as they are encoded.
// Everything else (duplicates of tool results, images, signatures: most of the bytes) is skipped.
type Record struct {
	Type, Subtype, UUID, Session, Timestamp, CWD, Branch Raw

	Sidechain, Meta, Summary, APIError Raw

	Message    Message
	Content    Raw
	Plan       Raw // of a turn by which the host carries out the model's plan
	Operation  Raw
	Denial     Raw // why a tool was not run; the host writes it, no tool can
	Result     Raw // of a tool, as the host keeps it
	Source     Raw // of a prompt: "typed", "queued" …
	Origin     Raw // of a prompt, as an object
	Attachment Raw
	Worktree   Raw

	bad bool // a placeholder for something that cannot be read
}

// A Message is what the model's API was sent or answered: an object as a rule, at times the bare
// content.
type Message struct {
	ID, Model Raw
	Blocks    []Block
}

// A Block is one part of a content: a bare string is a block of text.
type Block struct {
	Type, Text, ID, Name, Input, ToolUseID, Content Raw
}

// maxBlocks bounds the blocks of a content; four were seen in a record.
const maxBlocks = 10_000

// walk reads the object at i and returns the index after it, or malformed. It reuses the record's memory.
func (r *Record) walk(b []byte, i int) int {
	*r = Record{Message: Message{Blocks: r.Message.Blocks[:0]}}
	return eachField(b, i, func(key []byte, i int) int {
		switch string(key) {
		case "type":
			return value(b, i, &r.Type)
		case "subtype":
			return value(b, i, &r.Subtype)
		case "uuid":
			return value(b, i, &r.UUID)
		case "sessionId":
			return value(b, i, &r.Session)
		case "timestamp":
			return value(b, i, &r.Timestamp)
		case "cwd":
			return value(b, i, &r.CWD)
		case "gitBranch":
			return value(b, i, &r.Branch)
		case "isSidechain":
			return value(b, i, &r.Sidechain)
		case "isMeta":
			return value(b, i, &r.Meta)
		case "isCompactSummary":
			return value(b, i, &r.Summary)
		case "isApiErrorMessage":
			return value(b, i, &r.APIError)
		case "content":
			return value(b, i, &r.Content)
		case "planContent":
			return value(b, i, &r.Plan)
		case "toolDenialKind":
			return value(b, i, &r.Denial)
		case "toolUseResult":
			return value(b, i, &r.Result)
		case "promptSource":
			return value(b, i, &r.Source)
		case "origin":
			return value(b, i, &r.Origin)
		case "operation":
			return value(b, i, &r.Operation)
		case "message":
			return r.Message.walk(b, i)
		case "attachment":
			return value(b, i, &r.Attachment)
		case "worktreeSession":
			return value(b, i, &r.Worktree)
		}
		return skip(b, i, 1)
	})
}

// walk reads the message at i: an object, or a bare content.
func (m *Message) walk(b []byte, i int) int {
	m.Blocks = m.Blocks[:0]
	if i >= len(b) || b[i] != '{' {
		return content(b, i, &m.Blocks)
	}
	return eachField(b, i, func(key []byte, i int) int {
		switch string(key) {
		case "id":
			return value(b, i, &m.ID)
		case "model":
			return value(b, i, &m.Model)
		case "content":
			m.Blocks = m.Blocks[:0]
			return content(b, i, &m.Blocks)
		}
		return skip(b, i, 1)
	})
}

// content walks over a content: a string, a block, or a list of blocks and bare strings.
func content(b []byte, i int, blocks *[]Block) int {
	if i < len(b) && b[i] == '[' {
		return array(b, i, func(i int) int {
			if i < len(b) && b[i] == '[' { // a list in a list is not a known form
				return skip(b, i, 1)
			}
			return contentItem(b, i, blocks)
		})
	}
	return contentItem(b, i, blocks)
}

// TextType is the type of a bare string.
var TextType = Raw(`"text"`)

func contentItem(b []byte, i int, blocks *[]Block) int {
	if i >= len(b) || b[i] != '"' && b[i] != '{' || len(*blocks) >= maxBlocks {
		return skip(b, i, 1)
	}
	*blocks = append(*blocks, Block{})
	p := &(*blocks)[len(*blocks)-1]
	if b[i] == '"' {
		p.Type = TextType
		return value(b, i, &p.Text)
	}
	return eachField(b, i, func(key []byte, i int) int {
		switch string(key) {
		case "type":
			return value(b, i, &p.Type)
		case "text":
			return value(b, i, &p.Text)
		case "id":
			return value(b, i, &p.ID)
		case "name":
			return value(b, i, &p.Name)
		case "input":
			return value(b, i, &p.Input)
		case "tool_use_id":
			return value(b, i, &p.ToolUseID)
		case "content":
			return value(b, i, &p.Content)
		}
		return skip(b, i, 1)
	})
}

// value notes where the value at i begins and ends. Of a key that comes twice the last value counts.
func value(b []byte, i int, v *Raw) int {
	end := skip(b, i, 1)
	if end != malformed {
		*v = b[i:end:end]
	}
	return end
}
