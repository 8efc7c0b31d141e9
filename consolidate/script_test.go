package consolidate

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/ops"
	"dream-mcp/memory"
)

// operation is what the tests carry out, in this process or in one that is to die.
type operation struct {
	prepare string // the operation that comes before it, "" for none
	run     func(p *Project) error
	stamps  bool // where it lands, its time is that of the last consolidation
	others  bool // it changes another memory too, at steps at which this one is free
}

var script = map[string]operation{
	"commit": {run: dreamThen(finalize), stamps: true},
	"abort": {run: dreamThen(func(p *Project) error {
		_, _, err := p.Abort(ctx, "on second thoughts")
		return err
	})},
	"expire": {run: dreamThen(func(p *Project) error {
		now := p.Store.Now()
		p.Store.Now = func() time.Time { return now.Add(defaultLease) }
		_, err := p.Read(ctx, []string{"a.md"})
		if !errors.Is(err, ErrExpired) {
			return fmt.Errorf("a call when the lease has run out: %w", err)
		}
		return nil
	})},
	"resume": {prepare: "abort", stamps: true, run: func(p *Project) error {
		if err := p.Begin(ctx, false, true); err != nil {
			return err
		}
		return finalize(p)
	}},
	"write": {run: func(p *Project) error { return writeNew(p, "new.md") }},
	"undo": {prepare: "commit", run: func(p *Project) error {
		_, err := p.History.Undo(ctx, "")
		return err
	}},
	"propose": {stamps: true, run: func(p *Project) error {
		p.Store.Unattended = true
		defer func() { p.Store.Unattended = false }()
		if err := p.Begin(ctx, false, false); err != nil {
			return err
		}
		var rule *RuleError
		if _, err := p.Write(ctx, WriteRequest{Path: "e.md", Delete: true, Base: sum(topic("e", "feedback"))}); !errors.As(err, &rule) {
			return fmt.Errorf("an unattended deletion: %w", err)
		}
		if _, err := p.Write(ctx, writes[0]); err != nil {
			return err
		}
		return finalize(p)
	}},
	"accept": {prepare: "propose", run: func(p *Project) error {
		_, err := p.Proposals.Accept(ctx, "", nil)
		return err
	}},
	"leave":     {run: func(p *Project) error { return proposeWhole(p, writes[0]) }},
	"leave-two": {run: func(p *Project) error { return proposeWhole(p, writes[0], writes[2]) }},
	"agree": {prepare: "leave", stamps: true, run: func(p *Project) error {
		_, err := p.Proposals.Accept(ctx, "", nil)
		return err
	}},
	"agree-part": {prepare: "leave-two", stamps: true, run: func(p *Project) error {
		_, err := p.Proposals.Accept(ctx, "", []string{"a.md"})
		return err
	}},
	"refuse": {prepare: "leave", run: func(p *Project) error {
		_, err := p.Proposals.Reject(ctx, "")
		return err
	}},
	"own": {others: true, run: func(p *Project) error {
		n, _ := memory.ParseName("e.md")
		return p.Person.Add(ctx, n)
	}},
	"take": {others: true, run: func(p *Project) error {
		other, err := elsewhere(p)
		if err != nil {
			return err
		}
		n, _ := memory.ParseName("habits.md")
		err = other.Person.Add(ctx, n)
		if err = errors.Join(err, other.Close("")); err != nil {
			return err
		}
		_, err = p.Person.List(ctx)
		return err
	}},
	"restore": {prepare: "commit", run: func(p *Project) error {
		_, err := p.History.Restore(ctx, "b.md", "")
		return err
	}},
}

// proposeWhole leaves a whole dream to the person.
func proposeWhole(p *Project, writes ...WriteRequest) error {
	p.Store.Unattended, p.options.Propose = true, true
	defer func() { p.Store.Unattended, p.options.Propose = false, false }()
	if err := p.Begin(ctx, false, false); err != nil {
		return err
	}
	for _, w := range writes {
		if _, err := p.Write(ctx, w); err != nil {
			return err
		}
	}
	return finalize(p)
}

// dreamThen begins a dream, lists what was said, stages the changes of writeScript, and ends it by end.
func dreamThen(end func(p *Project) error) func(p *Project) error {
	return func(p *Project) error {
		if err := p.Begin(ctx, false, false); err != nil {
			return err
		}
		page, err := p.Sessions.List(ctx, ListRequest{PageBytes: 1_000})
		if err == nil && page.Of == 0 {
			err = errors.New("nothing was listed") // a session that cannot be read is listed to the next dream
		}
		if err != nil {
			return err
		}
		if err := writeScript(p); err != nil {
			return err
		}
		return end(p)
	}
}

func finalize(p *Project) error {
	_, err := p.Finalize(ctx, ops.FinalizeRequest{Adopt: true, Summary: "tidied"})
	return err
}

// writeNew creates a memory by a write of its own.
func writeNew(p *Project, path string) error {
	_, err := p.Write(ctx, WriteRequest{Path: path, Content: new(topic(strings.TrimSuffix(path, ".md"), "user"))})
	return err
}

// prior is the time of the last consolidation before an operation.
var prior = start.Add(-48 * time.Hour)

// newWorldFor returns a world in which the operation can be carried out.
func newWorldFor(t *testing.T, name string) *world {
	w := newWorld(t)
	w.stampHost("", prior)
	w.putDatabase()
	if before := script[name].prepare; before != "" {
		w.do(before)
		w.stampHost("", prior)
	}
	return w
}

// do carries an operation out whole, in this process.
func (w *world) do(name string) {
	w.t.Helper()
	p := Open(w.options())
	defer p.Close("it was carried out")
	if err := script[name].run(p); err != nil {
		w.t.Fatalf("%s: %v", name, err)
	}
}

// dreaming returns a project with a dream open in which the changes of writeScript are staged.
func (w *world) dreaming() *Project {
	w.t.Helper()
	p := w.open()
	if err := dreamThen(func(*Project) error { return nil })(p); err != nil {
		w.t.Fatal(err)
	}
	return p
}

// writes are the changes of writeScript.
var writes = []WriteRequest{
	{Path: "a.md", Edits: []memory.Edit{{Old: "The body of a.", New: "The better body of a."}}, Base: sum(topic("a", "project")), Evidence: []string{"said:1"}},
	{Path: "b.md", Delete: true, Base: sum(topic("b", "reference"))},
	{Path: "deep/new.md", Content: new(topic("deep-new", "project")), Index: &ops.IndexLine{Title: "Deep", Hook: "deep and new"}},
}

func writeScript(p *Project) error {
	for _, r := range writes {
		if _, err := p.Write(ctx, r); err != nil {
			return err
		}
	}
	return nil
}
