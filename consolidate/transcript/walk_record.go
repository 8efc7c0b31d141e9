package transcript

// A record is one JSON object of a transcript, as far as it matters here (FACTS 4.1): where its values
// stand. What it holds besides (duplicates of tool results, images, signatures: most of its bytes) is
// walked over.
type record struct {
	Type, Subtype, UUID, Session, Timestamp, CWD, Branch raw

	Sidechain, Meta, Summary, APIError raw

	Message    message
	Content    raw
	Plan       raw // of a turn by which the host carries out the model's plan
	Operation  raw
	Attachment struct{ Type, Mode, Prompt, Meta raw }

	AITitle, CustomTitle raw
	Worktree             struct{ Original raw }
}

// A message is what the model's API was sent or answered: an object as a rule, at times the bare
// content (CENSUS 2).
type message struct {
	ID, Model raw
	Blocks    []block
}

// A block is one part of a content: a string stands for a block of text.
type block struct {
	Type, Text, ID, Name, Input, ToolUseID, Content raw
}

// maxBlocks bounds the blocks of a content; four were seen in a record.
const maxBlocks = 10_000

// walk reads a line that is one record, and reports whether it could. The record's memory is used again.
// The setting is that of records before it, and is learnt from this one where it is another; or nil.
func (r *record) walk(line []byte, known *setting) bool {
	*r = record{Message: message{Blocks: r.Message.Blocks[:0]}}
	if len(line) == 0 || line[0] != '{' {
		return false
	}
	var seen struct{ message, content, attachment, worktree bool }
	field := func(key []byte, i int) int {
		var v *raw
		switch string(key) {
		case "type":
			v = &r.Type
		case "subtype":
			v = &r.Subtype
		case "uuid":
			v = &r.UUID
		case "sessionId":
			v = &r.Session
		case "timestamp":
			v = &r.Timestamp
		case "cwd":
			v = &r.CWD
		case "gitBranch":
			v = &r.Branch
		case "isSidechain":
			v = &r.Sidechain
		case "isMeta":
			v = &r.Meta
		case "isCompactSummary":
			v = &r.Summary
		case "isApiErrorMessage":
			v = &r.APIError
		case "content":
			v = &r.Content
		case "planContent":
			v = &r.Plan
		case "operation":
			v = &r.Operation
		case "aiTitle":
			v = &r.AITitle
		case "customTitle":
			v = &r.CustomTitle
		case "message":
			if !first(&seen.message) {
				return odd
			}
			if i >= len(line) || line[i] != '{' {
				return content(line, i, &r.Message.Blocks)
			}
			return object(line, i, func(key []byte, i int) int {
				switch string(key) {
				case "id":
					return value(line, i, &r.Message.ID)
				case "model":
					return value(line, i, &r.Message.Model)
				case "content":
					if !first(&seen.content) {
						return odd
					}
					return content(line, i, &r.Message.Blocks)
				case "role", "type", "usage", "stop_reason", "stop_sequence":
					return skip(line, i, 0)
				}
				return other(line, key, i, messageKeys)
			})
		case "attachment":
			a := &r.Attachment
			return nested(line, i, &seen.attachment, func(key []byte, i int) int {
				switch string(key) {
				case "type":
					return value(line, i, &a.Type)
				case "commandMode":
					return value(line, i, &a.Mode)
				case "prompt":
					return value(line, i, &a.Prompt)
				case "isMeta":
					return value(line, i, &a.Meta)
				}
				return other(line, key, i, attachmentKeys)
			})
		case "worktreeSession":
			return nested(line, i, &seen.worktree, func(key []byte, i int) int {
				if string(key) == "originalCwd" {
					return value(line, i, &r.Worktree.Original)
				}
				return other(line, key, i, worktreeKeys)
			})
		case "parentUuid", "userType", "version", "slug", "requestId", "toolUseResult", "entrypoint": // on most lines
			return skip(line, i, 0)
		default:
			return other(line, key, i, recordKeys)
		}
		return value(line, i, v)
	}
	seeker := settingSeeker{known: known}
	end := object(line, 0, func(key []byte, i int) int {
		return seeker.behind(r, line, key, field(key, i))
	})
	seeker.learn(line)
	return end != odd && space(line, end) == len(line)
}

// content walks over a content: a string, a block, or a list of blocks and bare strings.
func content(b []byte, i int, blocks *[]block) int {
	if i < len(b) && b[i] == '[' {
		return array(b, i, func(i int) int {
			if i < len(b) && b[i] == '[' { // a list in a list is none of the known forms
				return skip(b, i, 0)
			}
			return contentItem(b, i, blocks)
		})
	}
	return contentItem(b, i, blocks)
}

// textType is the type of the block that a bare string stands for.
var textType = raw(`"text"`)

func contentItem(b []byte, i int, blocks *[]block) int {
	if i >= len(b) || b[i] != '"' && b[i] != '{' || len(*blocks) >= maxBlocks {
		return skip(b, i, 0)
	}
	*blocks = append(*blocks, block{})
	p := &(*blocks)[len(*blocks)-1]
	if b[i] == '"' {
		p.Type = textType
		return value(b, i, &p.Text)
	}
	return object(b, i, func(key []byte, i int) int {
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
		case "thinking", "signature", "is_error", "caller":
			return skip(b, i, 0)
		}
		return other(b, key, i, blockKeys)
	})
}

// nested walks over an object within a record; a value that is none is passed over.
func nested(b []byte, i int, seen *bool, field func(key []byte, i int) int) int {
	if !first(seen) {
		return odd
	}
	if i >= len(b) || b[i] != '{' {
		return skip(b, i, 0)
	}
	return object(b, i, field)
}

// value walks over a value and notes where it stands. A key that comes twice is odd.
func value(b []byte, i int, v *raw) int {
	end := skip(b, i, 0)
	if end == odd || *v != nil {
		return odd
	}
	*v = b[i:end:end]
	return end
}

// first reports whether a key comes for the first time.
func first(seen *bool) bool {
	again := *seen
	*seen = true
	return !again
}

// A keySet is the keys that are known of an object, by their length.
type keySet [len("isApiErrorMessage") + 1][]string

func newKeys(keys ...string) *keySet {
	v := new(keySet)
	for _, k := range keys {
		v[len(k)] = append(v[len(k)], k)
	}
	return v
}

var (
	recordKeys = newKeys("type", "subtype", "uuid", "sessionId", "timestamp", "cwd", "gitBranch", "isSidechain", "isMeta",
		"isCompactSummary", "isApiErrorMessage", "message", "content", "planContent", "operation", "attachment", "aiTitle", "customTitle",
		"worktreeSession")
	messageKeys    = newKeys("id", "model", "content")
	blockKeys      = newKeys("type", "text", "id", "name", "input", "tool_use_id", "content")
	attachmentKeys = newKeys("type", "commandMode", "prompt", "isMeta")
	worktreeKeys   = newKeys("originalCwd")
)

// other walks over the value of another key than the known ones. A key that may be one of them to
// encoding/json is odd: in another case, or with an escape or a letter beyond ASCII.
func other(b, key []byte, i int, known *keySet) int {
	for _, c := range key {
		if c == '\\' || c >= 0x80 {
			return odd
		}
	}
	if len(key) < len(known) {
		for _, k := range known[len(key)] {
			if sameLetters(key, k) {
				return odd
			}
		}
	}
	return skip(b, i, 0)
}

// sameLetters reports whether a key is another but for case, or nearly so.
func sameLetters(key []byte, other string) bool {
	for i, c := range key {
		if (c^other[i])&^0x20 != 0 {
			return false
		}
	}
	return true
}
