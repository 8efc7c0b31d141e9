package consolidate

import (
	"errors"
	"fmt"
	"os"

	"dream-mcp/memory"
)

// counted are operations whose syncs are counted.
var counted = map[string]func(p *Project) error{
	"new":       func(p *Project) error { return writeNew(p, "x.md") },
	"new again": func(p *Project) error { return writeNew(p, "y.md") },
	"change":    func(p *Project) error { return change(p, "a.md", "The body of a.", "Another body of a.") },
	"again":     func(p *Project) error { return change(p, "a.md", "Another body of a.", "A third body of a.") },
	"land": func(p *Project) error {
		staged := stageForty(p)
		mark, err := os.Open(os.DevNull) // shows in the calls where the landing begins
		if err == nil {
			err = mark.Close()
		}
		return errors.Join(staged, err, finalize(p))
	},
	"undo": func(p *Project) error { _, err := p.History.Undo(ctx, ""); return err },
}

func change(p *Project, path, before, after string) error {
	read, err := p.Read(ctx, []string{path})
	if err == nil {
		_, err = p.Write(ctx, WriteRequest{Path: path, Base: string(read[0].Sum), Edits: []memory.Edit{{Old: before, New: after}}})
	}
	return err
}

// stageForty stages changes of 40 memories.
func stageForty(p *Project) error {
	err := p.Begin(ctx, true, false)
	for i := range 40 {
		if err == nil {
			err = change(p, fmt.Sprintf("topic%d.md", i), fmt.Sprintf("The body of topic%d.", i), fmt.Sprintf("A better body, of topic%d.", i))
		}
	}
	return err
}
