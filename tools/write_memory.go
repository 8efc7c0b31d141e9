package tools

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/ops"
	"dream-mcp/memory/rule"
	"dream-mcp/memory/visible"
)

// checkKind fails unless a write says what becomes of the text in exactly one way.
func checkKind(r consolidate.WriteRequest) error {
	given := 0
	for _, one := range []bool{r.Content != nil, r.Edits != nil, r.Delete} {
		if one {
			given++
		}
	}
	if given > 1 || given == 0 && r.Replaces == nil && r.Accept == nil && r.Index == nil && r.Evidence == nil || r.Delete && r.Replaces != nil {
		return ops.Refuse("exactly one of content, edits and delete is needed; none with replaces, accept, index or evidence alone",
			`for example {"path": "topic.md", "content": "---\nname: topic\n…"}`)
	}
	return nil
}

const writeRest = "dream_orient lists findings, read_memory shows what is there"

func writeMemory(ctx context.Context, p *consolidate.Project, arguments json.RawMessage) (answer, error) {
	var r struct {
		Path   string
		Writes []json.RawMessage
	}
	if err := json.Unmarshal(arguments, &r); err != nil {
		return answer{}, err
	}
	if r.Writes != nil && r.Path != "" {
		return answer{}, ops.Refuse("path and writes in one call", "each of writes has a path of its own")
	}
	if r.Writes != nil {
		return writeSeveral(ctx, p, r.Writes)
	}
	alone := func(agreed string) (answer, error) {
		res, err := writeOne(ctx, p, arguments, agreed)
		if err == nil {
			p.AddAlso(ctx, []*consolidate.WriteResult{&res}, nil)
		}
		return answer{value: res, rest: writeRest}, err
	}
	a, err := alone("")
	person, _ := errors.AsType[*consolidate.PersonError](err)
	return a, ifAgreed(err, func(context.Context) (answer, error) { return alone(person.Question) })
}

// severalWritten is the answer to several writes. What was refused comes first.
type severalWritten struct {
	Written int            `json:"written"`
	Staged  bool           `json:"staged"`
	Refused []refusedWrite `json:"refused,omitempty"`
	Writes  []oneWritten   `json:"writes,omitempty"` // of which there is more to say
	Done    []string       `json:"done,omitempty"`   // the others, as "path action sum"
}

// oneWritten is one of several writes: what is as a caller expects it is left out.
type oneWritten struct {
	consolidate.WriteResult
	Staged   any            `json:"staged,omitempty"`
	Bytes    any            `json:"bytes,omitempty"`
	Index    any            `json:"index_line,omitempty"`
	Cited    any            `json:"cited,omitempty"`
	Findings []rule.Finding `json:"findings,omitempty"`
}

// asExpected reports whether its path, action and sum say all of a write.
func asExpected(r consolidate.WriteResult) bool {
	return len(r.Undo)+len(r.Next)+len(r.Evidence)+len(r.Accepted)+len(r.Missing)+len(r.Corrected)+len(r.Also)+len(r.Findings) == 0
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

func writeSeveral(ctx context.Context, p *consolidate.Project, writes []json.RawMessage) (answer, error) {
	var all severalWritten
	hinted := make(map[string]bool)
	results, errs := make([]consolidate.WriteResult, len(writes)), make([]error, len(writes))
	var written []*consolidate.WriteResult
	try := func(i int) {
		if results[i], errs[i] = writeOne(ctx, p, writes[i], ""); errs[i] == nil {
			written = append(written, &results[i])
		}
	}
	for i := range writes {
		try(i)
	}
	for i, err := range errs { // a later write may have removed or changed what it is like
		if refused, ok := errors.AsType[*consolidate.RuleError](err); ok && refused.Rule() == rule.NearDuplicate && len(written) > 0 {
			try(i)
		}
	}
	if i := slices.IndexFunc(errs, consolidate.IsOver); i >= 0 {
		return answer{}, errs[i]
	}
	refused := make(map[string]string)
	for i, err := range errs {
		if q, ok := errors.AsType[*question](ifAgreed(err, nil)); ok && !canElicit(ctx) {
			err = q.left()
			errs[i] = err
		}
		if err != nil {
			reason, _, _ := explain(err)
			refused[pathOf(writes[i])] = quoted(reason, maxRefusal)
		}
	}
	p.AddAlso(ctx, written, refused)
	for i, arguments := range writes {
		res, err := results[i], errs[i]
		if err == nil {
			all.Written++
			all.Staged = res.Staged
			for i, f := range res.Findings {
				if hinted[f.Hint] {
					res.Findings[i].Hint = "" // shown above
				}
				hinted[f.Hint] = true
			}
			if asExpected(res) {
				all.Done = append(all.Done, strings.TrimSpace(res.Path+" "+res.Action+" "+res.Sum))
			} else {
				all.Writes = append(all.Writes, oneWritten{WriteResult: res, Findings: res.Findings})
			}
			continue
		}
		all.Refused = append(all.Refused, refusedOf(i+1, arguments, err))
	}
	return answer{value: all, rest: writeRest}, nil
}

// refusedOf returns what is said of a refused write.
func refusedOf(number int, arguments json.RawMessage, err error) refusedWrite {
	reason, hint, rest := explain(err)
	refused := refusedWrite{Number: number, Path: quoted(pathOf(arguments), 200), Reason: quoted(reason, maxRefusal), Hint: quoted(hint, maxRefusal)}
	for _, line := range rest {
		if len(rest) > 1 && len(refused.More) < maxRuleHints {
			refused.More = append(refused.More, visible.Short(line, 300))
		}
	}
	if _, ok := errors.AsType[*consolidate.PersonError](err); ok {
		refused.Hint = "only the person decides that: write it alone, so that they can be asked"
	}
	return refused
}

func pathOf(arguments json.RawMessage) string {
	var path struct{ Path string }
	_ = json.Unmarshal(arguments, &path) // the check says what is wrong
	return path.Path
}

// checkWrite checks the arguments of write_memory.
var checkWrite = sync.OnceValue(func() check { return checker(definition("write_memory")) })

func writeOne(ctx context.Context, p *consolidate.Project, arguments json.RawMessage, agreed string) (consolidate.WriteResult, error) {
	arguments, err := checkWrite()(arguments)
	if err != nil {
		return consolidate.WriteResult{}, err
	}
	var r struct {
		consolidate.WriteRequest
		Path   *string
		Writes []json.RawMessage
	}
	err = json.Unmarshal(arguments, &r)
	switch {
	case err != nil:
	case r.Path == nil:
		err = badArguments("write_memory", "missing property 'path'")
	case r.Writes != nil:
		err = badArguments("write_memory", "additional properties 'writes' not allowed")
	default:
		err = checkKind(r.WriteRequest)
	}
	if err != nil {
		return consolidate.WriteResult{}, err
	}
	r.WriteRequest.Path, r.Agreed = *r.Path, agreed
	return p.Write(ctx, r.WriteRequest)
}
