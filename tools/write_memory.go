package tools

import (
	"context"
	"encoding/json"

	"dream-mcp/consolidate"
	"dream-mcp/memory"
)

func writeMemory(p *consolidate.Project) tool {
	write := func(ctx context.Context, arguments json.RawMessage, agreed string) (answer, error) {
		r, err := decode[struct {
			Path     string
			Content  *string
			Edits    []memory.Edit
			Delete   bool
			Base     string
			Evidence []string
			Waive    []consolidate.Waiver
			Index    *indexLine
		}](arguments)
		if err != nil {
			return answer{}, err
		}
		given := 0
		for _, one := range []bool{r.Content != nil, r.Edits != nil, r.Delete} {
			if one {
				given++
			}
		}
		if given != 1 {
			return answer{}, &consolidate.RequestError{Message: "exactly one of content, edits and delete is needed", Hint: `for example {"path": "topic.md", "content": "---\nname: topic\n…"}`}
		}
		res, err := p.Write(ctx, consolidate.WriteRequest{
			Path: r.Path, Content: r.Content, Edits: r.Edits, Delete: r.Delete, Base: r.Base,
			Evidence: r.Evidence, Waive: r.Waive, Index: r.Index.line(), Agreed: agreed,
		})
		return answer{value: res}, err
	}
	return tool{
		name:  "write_memory",
		title: "Write one memory",
		description: "Write, edit or delete one memory (a Markdown topic file). Exactly one of content, edits, delete. In a dream it is staged until finalize_index; " +
			"outside one it lands at once, with its line of MEMORY.md (from name and description unless index says otherwise). " +
			"To replace or delete what exists give base, the sum that read_memory or dream_orient showed. Content begins with frontmatter: name, description (one line), metadata: type (user, feedback, project or reference).",
		input: `{"type":"object","properties":{
			"path":{"type":"string","maxLength":400,"description":"name.md or folder/name.md"},
			"content":{"type":"string","description":"the whole new text"},
			"edits":{"type":"array","minItems":1,"maxItems":100,"items":{"type":"object","properties":{"old":{"type":"string","minLength":1},"new":{"type":"string"}},"required":["old","new"],"additionalProperties":false},"description":"replacements; each old occurs exactly once"},
			"delete":{"type":"boolean","const":true},
			"base":{"type":"string","pattern":"^[0-9a-fA-F]{12,64}$","description":"sum of what is replaced"},
			"evidence":{"type":"array","maxItems":10,"items":{"type":"string","maxLength":200},"description":"hit IDs of grep_transcripts: where it was said"},
			"waive":{"type":"array","maxItems":20,"items":{"type":"object","properties":{"rule":{"type":"string"},"why":{"type":"string","minLength":1,"maxLength":500}},"required":["rule","why"],"additionalProperties":false},"description":"waivable rules set aside, with the reason"},
			"index":{"type":"object","properties":{"title":{"type":"string","maxLength":200},"text":{"type":"string","maxLength":400},"section":{"type":"string","maxLength":200}},"additionalProperties":false,"description":"its line in MEMORY.md"}},
			"required":["path"],"additionalProperties":false}`,
		output: `{"type":"object","properties":{"path":{"type":"string"},"action":{"type":"string"},"sum":{"type":"string"},"bytes":{"type":"integer"},"staged":{"type":"boolean"},"index_line":{"type":"string"},"undo":{"type":"string"},"evidence":{"type":"array","items":{"type":"object"}},` +
			findingsSchema + `},"required":["path","action","bytes","staged","findings"]}`,
		destructive: true, idempotent: true,
		call: func(ctx context.Context, arguments json.RawMessage) (answer, error) { return write(ctx, arguments, "") },
		agreed: func(ctx context.Context, arguments json.RawMessage) (answer, error) {
			return write(ctx, arguments, "the person agreed when they were asked")
		},
		now: p.Now,
	}
}

// findingsSchema is the property that all answers with findings share.
const findingsSchema = `"findings":{"type":"array","items":{"type":"object"}}`
