package transcript

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The project of every test, and the folder that the host would give it.
const (
	root = "/home/dev/lighthouse"
	slug = "-home-dev-lighthouse"
)

// start is the time of the first line of a fixture; each line is a second later.
var start = time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC)

// id is the nth session's.
func id(n int) string { return fmt.Sprintf("%08x-0000-4000-8000-%012x", n, n) }

// A fixture is a transcript being written, a record a line.
type fixture struct {
	session string
	cwd     string
	lines   []string
}

func talk(n int) *fixture { return &fixture{session: id(n), cwd: root} }

type fields = map[string]any

// add appends a record with the host's envelope around it; a nil field takes one out.
func (f *fixture) add(kind string, extra fields) *fixture {
	n := len(f.lines)
	rec := fields{
		"parentUuid": nil, "type": kind, "uuid": fmt.Sprintf("%s/%d", f.session, n), "sessionId": f.session,
		"timestamp": start.Add(time.Duration(n) * time.Second).Format("2006-01-02T15:04:05.000Z"),
		"cwd":       f.cwd, "gitBranch": "main", "isSidechain": false, "version": "2.1.329",
	}
	for k, v := range extra {
		if rec[k] = v; v == nil {
			delete(rec, k)
		}
	}
	setting := ""
	for _, k := range []string{"cwd", "sessionId", "version", "gitBranch"} { // side by side, as the host writes them
		if v, ok := rec[k]; ok {
			setting += "," + marshal(k) + ":" + marshal(v)
			delete(rec, k)
		}
	}
	return f.raw(strings.TrimSuffix(marshal(rec), "}") + setting + "}")
}

// raw appends a line as it is.
func (f *fixture) raw(line string) *fixture {
	f.lines = append(f.lines, line)
	return f
}

func (f *fixture) user(content any) *fixture { return f.userWith(content, nil) }

func (f *fixture) userWith(content any, extra fields) *fixture {
	all := fields{"message": fields{"role": "user", "content": content}}
	for k, v := range extra {
		all[k] = v
	}
	return f.add("user", all)
}

// says appends one record of the model: blocks of one message.
func (f *fixture) says(message string, blocks ...any) *fixture {
	return f.add("assistant", fields{"message": fields{"id": message, "role": "assistant", "model": "m", "content": blocks}})
}

func (f *fixture) reply(text string) *fixture {
	return f.says(fmt.Sprintf("msg_%s_%d", f.session, len(f.lines)), words(text))
}

func (f *fixture) enqueue(text string) *fixture {
	return f.add("queue-operation", fields{"operation": "enqueue", "content": text, "uuid": nil, "message": nil})
}

func (f *fixture) attach(attachment fields) *fixture {
	return f.add("attachment", fields{"attachment": attachment})
}

func words(text string) fields { return fields{"type": "text", "text": text} }

// use has its fields in the host's order: what tells of a use stands before what the tool was asked.
func use(id, name string, input any) any {
	return struct {
		Type  string `json:"type"`
		ID    string `json:"id"`
		Name  string `json:"name"`
		Input any    `json:"input"`
	}{"tool_use", id, name, input}
}

func result(id string, content any) fields {
	return fields{"type": "tool_result", "tool_use_id": id, "content": content}
}

func (f *fixture) text() string { return strings.Join(f.lines, "\n") + "\n" }

func marshal(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// put writes a file below a new folder of projects, last touched so many hours after start.
func put(t testing.TB, projects, name, text string, hours int) string {
	t.Helper()
	path := filepath.Join(projects, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	when := start.Add(time.Duration(hours) * time.Hour)
	if err := os.Chtimes(path, when, when); err != nil {
		t.Fatal(err)
	}
	return path
}

// store opens the project whose folder holds these transcripts, the first the oldest.
func store(t testing.TB, fixtures ...*fixture) *Store {
	t.Helper()
	projects := t.TempDir()
	for i, f := range fixtures {
		put(t, projects, slug+"/"+f.session+".jsonl", f.text(), i+1)
	}
	s := Open(Options{Projects: projects, Roots: []string{root}})
	s.Budget = time.Minute
	t.Cleanup(s.Close)
	return s
}

// said returns what a transcript says, each as "line speaker: text".
func said(t testing.TB, text string) []string {
	t.Helper()
	all, _ := utterances(t, text)
	var lines []string
	for _, u := range all {
		lines = append(lines, fmt.Sprintf("%d %s: %s", u.Line, u.Speaker, u.Text))
	}
	return lines
}

func utterances(t testing.TB, text string) ([]*utterance, Skipped) {
	t.Helper()
	var all []*utterance
	r := newReader(file{id: id(1)}, newLineReader(strings.NewReader(text), readBlock), func(u *utterance) error {
		u.ID = u.id()
		all = append(all, u)
		return nil
	})
	r.tools = everyLine
	if err := r.run(); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(all, func(a, b *utterance) int { return cmp.Or(a.Line-b.Line, a.place-b.place) })
	return all, r.skipped
}

func search(t testing.TB, s *Store, q Query) Result {
	t.Helper()
	result, err := s.Search(t.Context(), q)
	if err != nil {
		t.Fatalf("Search(%+v): %v", q, err)
	}
	return result
}

// hits returns the whole text around each match, newest first.
func hits(r Result) (texts []string) {
	for _, h := range r.Hits {
		texts = append(texts, h.Before+h.Match+h.After)
	}
	return texts
}

func equal(t testing.TB, what string, got, want []string) {
	t.Helper()
	if strings.Join(got, "\x00") != strings.Join(want, "\x00") {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}
