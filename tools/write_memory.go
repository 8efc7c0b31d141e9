package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/store"
	"dream-mcp/memory/rule"
)

// checkKind fails unless a write says what becomes of the text in exactly one way.
func checkKind(r consolidate.WriteRequest) error {
	given := 0
	for _, one := range []bool{r.Content != nil, r.Edits != nil, r.Delete} {
		if one {
			given++
		}
	}
	if given > 1 || given == 0 && r.Replaces == nil && r.Accept == nil || r.Delete && r.Replaces != nil {
		return &store.RequestError{
			Message: "exactly one of content, edits and delete is needed; none with replaces or accept alone", Hint: `for example {"path": "topic.md", "content": "---\nname: topic\n…"}`,
		}
	}
	return nil
}

// writeSchema are the properties of one write.
const writeSchema = `
	"path":{"type":"string","maxLength":400,"description":"name.md or folder/name.md"},
	"content":{"type":"string","description":"the whole new text"},
	"edits":{"type":"array","minItems":1,"maxItems":100,"items":{"type":"object","properties":{"old":{"type":"string","minLength":1},"new":{"type":"string"}},"required":["old","new"],"additionalProperties":false},"description":"each old occurs exactly once"},
	"delete":{"type":"boolean","const":true},
	"base":{"type":"string","pattern":"^[0-9a-fA-F]{12,64}$","description":"sum of what is replaced"},
	"replaces":{"type":"array","minItems":1,"maxItems":50,"items":{"type":"object","properties":{"path":{"type":"string"},"base":{"type":"string"}},"required":["path","base"]},"description":"merged into path, or renamed to it, and removed"},
	"accept":{"type":"array","maxItems":200,"items":{"type":"object","properties":{"text":{"type":"string"},"why":{"type":"string","maxLength":500}},"required":["text","why"]},"description":"facts listed as missing that are left out"},
	"evidence":{"type":"array","maxItems":10,"items":{"type":"string","maxLength":200},"description":"hit IDs of grep_transcripts: where it was said"},
	"waive":{"type":"array","maxItems":20,"items":{"type":"object","properties":{"rule":{"type":"string"},"why":{"type":"string","minLength":1,"maxLength":500}},"required":["rule","why"],"additionalProperties":false},"description":"rules set aside, with the reason"},
	"index":{"type":"object","properties":{"title":{"type":"string","maxLength":200},"text":{"type":"string","maxLength":400},"section":{"type":"string","maxLength":200}},"additionalProperties":false,"description":"its line in MEMORY.md"}`

// checkOne checks the arguments of one of several writes.
var checkOne = checker("write_memory", `{"type":"object","properties":{`+writeSchema+`},"required":["path"],"additionalProperties":false}`)

var writeMemory = tool{
	name:  "write_memory",
	title: "Write memories",
	description: "Write, edit, merge, rename or delete one memory (a Markdown topic file), or several by writes. One of content, edits, delete. In a dream it is staged until finalize_index; " +
		"outside one it lands at once. Its line of MEMORY.md follows (from name and description unless index says otherwise). " +
		"To change what exists give base, the sum that read_memory or dream_orient showed. replaces removes what was merged into path; facts that path then lacks are listed as missing: write them into it, or accept each. " +
		"Content begins with frontmatter: name, description (one line), metadata: type (user, feedback, project or reference).",
	input: `{"type":"object","properties":{` + writeSchema + `,
		"writes":{"type":"array","minItems":1,"maxItems":50,"items":{"type":"object"},"description":"several such writes, each judged alone"}},
		"additionalProperties":false}`,
	output: `{"type":"object","properties":{"path":{"type":"string"},"action":{"type":"string"},"sum":{"type":"string"},"missing":{"type":"array"},"writes":{"type":"array"},"undo":{"type":"string"},"evidence":{"type":"array"},` +
		findingsSchema + `}}`,
	destructive: true, idempotent: true,
	call: func(ctx context.Context, p *consolidate.Project, arguments json.RawMessage) (answer, error) {
		var r struct {
			Path   string
			Writes []json.RawMessage
		}
		if err := json.Unmarshal(arguments, &r); err != nil {
			return answer{}, err
		}
		if r.Writes != nil && r.Path != "" {
			return answer{}, &store.RequestError{Message: "path and writes in one call", Hint: "each of writes has a path of its own"}
		}
		if r.Writes != nil {
			return writeSeveral(ctx, p, r.Writes), nil
		}
		res, err := writeOne(ctx, p, arguments, "")
		return answer{value: res}, ifAgreed(err, func(ctx context.Context) (answer, error) {
			res, err := writeOne(ctx, p, arguments, "the person agreed when they were asked")
			return answer{value: res}, err
		})
	},
}

// severalWritten is the answer to several writes. What was refused comes first.
type severalWritten struct {
	Written int            `json:"written"`
	Staged  bool           `json:"staged"`
	Refused []refusedWrite `json:"refused,omitempty"`
	Writes  []oneWritten   `json:"writes"`
}

// oneWritten is one of several writes: what is as a caller expects it is left out.
type oneWritten struct {
	Path     string              `json:"path"`
	Action   string              `json:"action"`
	Sum      string              `json:"sum,omitempty"`
	Undo     string              `json:"undo,omitempty"`
	Evidence []consolidate.Cited `json:"evidence,omitempty"`
	Accepted []string            `json:"accepted,omitempty"`
	Missing  []rule.Fact         `json:"missing,omitempty"`
	More     int                 `json:"more_missing,omitempty"`
	Next     string              `json:"next,omitempty"`
	Findings []rule.Finding      `json:"findings,omitempty"`
}

type refusedWrite struct {
	Number int      `json:"number"` // from 1
	Path   string   `json:"path"`
	Reason string   `json:"refused"`
	Hint   string   `json:"hint,omitempty"`
	More   []string `json:"more,omitempty"`
}

// maxRefusal bounds what is said about one refused write of several, in characters.
const maxRefusal = 1_500

func writeSeveral(ctx context.Context, p *consolidate.Project, writes []json.RawMessage) answer {
	all := severalWritten{Writes: []oneWritten{}}
	hinted := make(map[string]bool)
	for i, arguments := range writes {
		var path struct{ Path string }
		_ = json.Unmarshal(arguments, &path) // the check says what is wrong
		res, err := writeOne(ctx, p, arguments, "")
		if err == nil {
			all.Written++
			all.Staged = res.Staged
			for i, f := range res.Findings {
				if hinted[f.Hint] {
					res.Findings[i].Hint = "" // shown above
				}
				hinted[f.Hint] = true
			}
			all.Writes = append(all.Writes, oneWritten{res.Path, res.Action, res.Sum, res.Undo, res.Evidence, res.Accepted, res.Missing, res.More, res.Next, res.Findings})
			continue
		}
		reason, hint, rest := explain(err)
		refused := refusedWrite{Number: i + 1, Path: quoted(path.Path, 200), Reason: quoted(reason, maxRefusal), Hint: quoted(hint, maxRefusal)}
		for _, line := range rest {
			if len(rest) > 1 && len(refused.More) < maxRuleHints {
				refused.More = append(refused.More, short(line, 300))
			}
		}
		var person *consolidate.PersonError
		if errors.As(err, &person) {
			refused.Hint = fmt.Sprintf("only the person decides that: write it alone, so that they can be asked; in a terminal: %s", person.Terminal)
		}
		all.Refused = append(all.Refused, refused)
	}
	return answer{value: all}
}

func writeOne(ctx context.Context, p *consolidate.Project, arguments json.RawMessage, agreed string) (consolidate.WriteResult, error) {
	arguments, err := checkOne(arguments)
	if err != nil {
		return consolidate.WriteResult{}, err
	}
	var r consolidate.WriteRequest
	if err := json.Unmarshal(arguments, &r); err != nil {
		return consolidate.WriteResult{}, err
	}
	if err := checkKind(r); err != nil {
		return consolidate.WriteResult{}, err
	}
	r.Agreed = agreed
	return p.Write(ctx, r)
}

// findingsSchema is the property that all answers with findings share.
const findingsSchema = `"findings":{"type":"array","items":{"type":"object"}}`
