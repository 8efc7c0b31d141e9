package consolidate

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/ops"
	"dream-mcp/memory"
	"dream-mcp/memory/rule"
)

const mergeHead = "---\nname: %\ndescription: about %\nmetadata:\n  type: project\n---\n"

var digits = regexp.MustCompile(`[0-9]+`)

// FuzzMerge holds the law of merges. Whatever the texts: every number of what was merged is in the survivor or was
// accepted, and after the undo both files are back byte for byte, and the index.
func FuzzMerge(f *testing.F) {
	f.Add("The crane lifts 12 t.", "The crane is never used on Fridays, port 8443, `make lift`.", "The crane lifts 12 t, never on Fridays.", true)
	f.Add("", "```\n17\n```\n**Why:** 5 of 7\n", "x", false)
	f.Add("a", "숫자 12와 없음 13。不要14", "b", true)
	f.Add("a\r\n", "---\n1\n---\n`2\n", "\xff3", false)
	f.Add("a", "#1 1.2,3:4/5-6+7@8%", "1", true)
	f.Fuzz(func(t *testing.T, into, merged, survivor string, dreaming bool) {
		w := newWorld(t)
		head := func(name string) string { return strings.ReplaceAll(mergeHead, "%", name) }
		w.put("x.md", head("x")+into)
		w.put("y.md", strings.Replace(head("y"), "metadata:\n", "metadata:\n  created: 2026-01-02\n", 1)+merged)
		w.put("MEMORY.md", w.read("MEMORY.md")+"- [X](x.md) — the x\n- [Y](y.md) — the y\n")
		x, y, index := w.read("x.md"), w.read("y.md"), w.read("MEMORY.md")
		p := w.open()
		if dreaming {
			w.mustDo(p.Begin(ctx, true, false))
		}
		content := head("x") + survivor
		r := WriteRequest{Path: "x.md", Base: sum(x), Content: &content, Replaces: []Replaced{{"y.md", sum(y)}}}
		var accepted []string
		accept := func(facts []rule.Fact) {
			for _, fact := range facts {
				accepted = append(accepted, fact.Text)
				r.Accept = append(r.Accept, Accepted{Text: fact.Text, Why: "it is no longer so"})
			}
		}
		res, err := p.Write(ctx, r)
		var refused *RuleError
		if !dreaming && errors.As(err, &refused) && refused.Rule() == "loss" {
			if w.read("x.md") != x || w.read("y.md") != y {
				t.Fatal("a refused merge has changed something")
			}
			// What is missing is listed in the dream; outside it the same texts are.
			accept(rule.Lost(map[memory.Name]*memory.Topic{name(t, "y.md"): memory.ParseTopic([]byte(y))}, name(t, "x.md"), memory.ParseTopic([]byte(content)), nil))
			res, err = p.Write(ctx, r)
		}
		if err != nil {
			t.Skip(err) // a rule refuses the text
		}
		for dreaming && len(res.Missing) > 0 {
			if w.read("x.md") != x || w.read("y.md") != y {
				t.Fatal("a staged merge has changed something")
			}
			if _, err := p.Finalize(ctx, ops.FinalizeRequest{}); !errors.As(err, &refused) || refused.Rule() != "loss" {
				t.Fatalf("what is missing is not asked for: %v", err)
			}
			r = WriteRequest{Path: "x.md", Base: res.Sum}
			accept(res.Missing)
			before := len(res.Missing) + res.More
			if res, err = p.Write(ctx, r); err != nil || len(res.Missing)+res.More >= before {
				t.Fatalf("accepted, and %d are missing: %v", len(res.Missing), err)
			}
		}
		if dreaming {
			if _, err := p.Finalize(ctx, ops.FinalizeRequest{AcceptLoss: map[string]string{"x.md": "rewritten"}}); err != nil {
				t.Skip(err)
			}
		}
		landed := w.read("x.md")
		if w.read("y.md") != "" || !strings.Contains(landed, "created: 2026-01-02") || strings.Contains(w.read("MEMORY.md"), "y.md") {
			t.Fatalf("landed:\n%s\n%s", landed, w.read("MEMORY.md"))
		}
		for _, number := range digits.FindAllString(merged, -1) {
			if !strings.Contains(landed, number) && !slices.ContainsFunc(accepted, func(text string) bool { return strings.Contains(text, number) }) {
				t.Errorf("%q is neither in the survivor nor accepted (%q)", number, accepted)
			}
		}
		if _, err := p.History.Undo(ctx, ""); err != nil {
			t.Fatal(err)
		}
		if w.read("x.md") != x || w.read("y.md") != y || w.read("MEMORY.md") != index {
			t.Errorf("after the undo:\n%q\n%q\n%q", w.read("x.md"), w.read("y.md"), w.read("MEMORY.md"))
		}
	})
}

// A merge that an unattended dream may not make is proposed whole, and accepted and undone whole.
func TestMergeIsProposedWhole(t *testing.T) {
	w := newWorld(t)
	o := w.options()
	o.Unattended = true
	p := Open(o)
	w.mustDo(p.Begin(ctx, false, false))
	e := w.read("e.md")
	content := strings.ReplaceAll(mergeHead, "%", "new") + "Nothing of it."
	_, err := p.Write(ctx, WriteRequest{Path: "new.md", Content: &content, Replaces: []Replaced{{"e.md", sum(e)}}})
	var refused *RuleError
	if !errors.As(err, &refused) || refused.Rule() != "loss" {
		t.Fatalf("it was not refused: %v", err)
	}
	if _, _, err := p.Abort(ctx, "that was all"); err != nil {
		t.Fatal(err)
	}
	w.mustDo(p.Close("the test goes on"))
	p = w.open()
	waiting, err := p.Proposals.Reviews(ctx)
	if err != nil || len(waiting) != 1 || len(waiting[0].Conflicts) > 0 || !strings.Contains(waiting[0].Diff, "-The body of e.") || !strings.Contains(waiting[0].Diff, "+Nothing of it.") {
		t.Fatalf("waiting: %+v, %v", waiting, err)
	}
	if _, err := p.Proposals.Accept(ctx, waiting[0].ID, []string{"new.md"}); err != nil {
		t.Fatal(err)
	}
	if w.read("e.md") != "" || !strings.Contains(w.read("new.md"), "Nothing of it.") || strings.Contains(w.read("MEMORY.md"), "e.md") {
		t.Errorf("accepted: %q, %q, %q", w.read("e.md"), w.read("new.md"), w.read("MEMORY.md"))
	}
	if _, err := p.History.Undo(ctx, ""); err != nil {
		t.Fatal(err)
	}
	if w.read("e.md") != e || w.read("new.md") != "" {
		t.Errorf("undone: %q, %q", w.read("e.md"), w.read("new.md"))
	}
}

// A merge of what was merged before keeps what that still lacks, and a survivor that goes is a deletion.
func TestMergeOfMerges(t *testing.T) {
	w := newWorld(t)
	w.put("x.md", strings.ReplaceAll(mergeHead, "%", "x")+"It is 1111.")
	w.put("y.md", strings.ReplaceAll(mergeHead, "%", "y")+"It is 2222.")
	w.put("z.md", strings.ReplaceAll(mergeHead, "%", "z")+"It is 3333.")
	p := w.open()
	w.mustDo(p.Begin(ctx, true, false))
	first, err := p.Write(ctx, WriteRequest{Path: "y.md", Base: sum(w.read("y.md")), Replaces: []Replaced{{"x.md", sum(w.read("x.md"))}}})
	if err != nil || len(first.Missing) != 1 || first.Missing[0].Text != "It is ⟨1111⟩." {
		t.Fatalf("%+v, %v", first, err)
	}
	second, err := p.Write(ctx, WriteRequest{Path: "z.md", Base: sum(w.read("z.md")), Replaces: []Replaced{{"y.md", first.Sum}}})
	if err != nil || len(second.Missing) != 2 {
		t.Fatalf("%+v, %v", second, err)
	}
	res, err := p.Finalize(ctx, ops.FinalizeRequest{DryRun: true})
	if err != nil || len(res.Findings) == 0 || res.Findings[0].Rule != "loss" || res.Findings[0].File != "z.md" {
		t.Errorf("%+v, %v", res, err)
	}
	if _, err := p.Write(ctx, WriteRequest{Path: "z.md", Base: second.Sum, Delete: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Finalize(ctx, ops.FinalizeRequest{DryRun: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Finalize(ctx, ops.FinalizeRequest{}); err == nil { // three of eight memories
		t.Error("three deletions were not asked for")
	}
}

// distinct is a memory whose text no other has.
func distinct(name, kind string) string {
	return fmt.Sprintf(topicText, name, name, kind, strings.Join([]string{name + "1", name + "2", name + "3", name + "4", name + "5"}, " "))
}

// Writes outside dreams count together for an hour, but for what the person agreed to, and what somebody else wrote since.
func TestSingleWritesOfAnHour(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"a", "b", "c", "d", "f", "g"} { // with e, which is of type feedback, seven
		w.put(name+".md", distinct(name, "project"))
	}
	p := w.open()
	remove := func(name, agreed string) error {
		_, err := p.Write(ctx, WriteRequest{Path: name + ".md", Delete: true, Base: sum(distinct(name, "project")), Agreed: agreed})
		return err
	}
	refused := func(err error) bool {
		var person *PersonError
		return errors.As(err, &person)
	}
	if err := remove("a", ""); err != nil {
		t.Fatal(err)
	}
	w.setNow(w.now.Add(59 * time.Minute))
	if err := remove("b", ""); !refused(err) {
		t.Errorf("a second of seven within the hour: %v", err)
	}
	// A memory that was made within the hour and goes again takes nothing away.
	if err := writeNew(p, "new.md"); err != nil {
		t.Fatal(err)
	}
	w.setNow(w.now.Add(2 * time.Minute))
	res, err := p.Read(ctx, []string{"new.md"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Write(ctx, WriteRequest{Path: "new.md", Delete: true, Base: res[0].Sum.Short()}); err != nil {
		t.Errorf("what was made a moment ago: %v", err)
	}
	// The hour is over: of six, one.
	if err := remove("b", ""); err != nil {
		t.Errorf("an hour later: %v", err)
	}
	if err := remove("c", "another question"); !refused(err) {
		t.Errorf("agreed to something else: %v", err)
	} else if person, _ := errors.AsType[*PersonError](err); remove("c", person.Question) != nil {
		t.Error("what was agreed to is refused")
	}
	// What was agreed to does not count: with b and d, two of five.
	if err := remove("d", ""); !refused(err) {
		t.Errorf("the second of five: %v", err)
	}
	// Somebody else brought b back: it is not missing.
	w.put("b.md", distinct("b", "project"))
	if err := remove("d", ""); err != nil {
		t.Errorf("the only one of six: %v", err)
	}
}

// A memory that loses its text counts like one that is deleted, whatever its type.
func TestSingleWritesThatEmpty(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"a", "b", "c"} { // with e, four
		w.put(name+".md", distinct(name, "project"))
	}
	p := w.open()
	empty := func(name string) error {
		short := fmt.Sprintf("---\nname: %s\ndescription: about %s\nmetadata:\n  type: project\n---\n\nx\n", name, name)
		_, err := p.Write(ctx, WriteRequest{Path: name + ".md", Content: new(short), Base: sum(distinct(name, "project"))})
		return err
	}
	if err := empty("a"); err != nil {
		t.Fatal(err)
	}
	var person *PersonError
	if err := empty("b"); !errors.As(err, &person) {
		t.Errorf("the second of four: %v", err)
	}
}

// To empty a memory in many small steps takes it away as one step does.
func TestSingleWritesInSteps(t *testing.T) {
	w := newWorld(t)
	lines := make([]string, 20)
	for i := range lines {
		lines[i] = fmt.Sprintf("Rule %d: never use tool%d on branch%d.", i, i, i)
	}
	body := func(n int) string {
		return "---\nname: e\ndescription: about e\nmetadata:\n  type: feedback\n---\n\n" + strings.Join(lines[:n], "\n") + "\n"
	}
	w.put("e.md", body(20))
	p := w.open()
	base := sum(body(20))
	for n := 18; n > 0; n -= 2 {
		res, err := p.Write(ctx, WriteRequest{Path: "e.md", Content: new(body(n)), Base: base})
		var person *PersonError
		if errors.As(err, &person) {
			if n < 9 || n > 10 {
				t.Errorf("refused at %d of 20 lines", n)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		base = res.Sum
	}
	t.Error("emptied in steps")
}
