package consolidate

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

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
	w.now = w.now.Add(59 * time.Minute)
	if err := remove("b", ""); !refused(err) {
		t.Errorf("a second of seven within the hour: %v", err)
	}
	// A memory that was made within the hour and goes again takes nothing away.
	if err := writeNew(p, "new.md"); err != nil {
		t.Fatal(err)
	}
	w.now = w.now.Add(2 * time.Minute)
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
	if err := remove("c", "it is a test"); err != nil {
		t.Errorf("agreed: %v", err)
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
		_, err := p.Write(ctx, WriteRequest{Path: name + ".md", Content: text(short), Base: sum(distinct(name, "project"))})
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
		res, err := p.Write(ctx, WriteRequest{Path: "e.md", Content: text(body(n)), Base: base})
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
