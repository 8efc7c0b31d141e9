package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/transcript/search"
	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/memory"
)

// world is a project of a made-up harbour office, and a count of what its tools read and answer.
type world struct {
	t        *testing.T
	dir      string // the memory
	sessions string
	root     string // the project
	table    Table
	calls    int
	bytes    int
}

// worldTime is when everything in a world happens.
var worldTime = time.Date(2026, 11, 18, 9, 0, 0, 0, time.UTC)

func newWorld(t *testing.T) *world {
	w := &world{t: t, dir: filepath.Join(t.TempDir(), "memory"), sessions: t.TempDir(), root: "/srv/harbour"}
	if err := os.Mkdir(w.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	at := worldTime.Add(-48 * time.Hour)
	if err := os.Chtimes(path, at, at); err != nil {
		w.t.Fatal(err)
	}
}

// say writes a session of the day before the world's time, in which the person says each text and is answered.
func (w *world) say(number int, texts ...string) {
	w.t.Helper()
	id := fmt.Sprintf("%08d-1111-4222-8333-444444444444", number)
	at := worldTime.Add(-30*24*time.Hour + time.Duration(number)*24*time.Hour)
	var b strings.Builder
	record := func(kind, text string) {
		at = at.Add(time.Minute)
		content, _ := json.Marshal(text)
		fmt.Fprintf(&b, `{"type":%q,"cwd":%q,"sessionId":%q,"uuid":"%08d-%04d-4bbb-8ccc-dddddddddddd","timestamp":%q,"message":{"role":%q,"content":%s}}`+"\n",
			kind, w.root, id, number, strings.Count(b.String(), "\n"), at.Format("2006-01-02T15:04:05.000Z"), kind, content)
	}
	for _, text := range texts {
		record("user", text)
		record("assistant", "Done.")
	}
	folder := filepath.Join(w.sessions, "-srv-harbour")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		w.t.Fatal(err)
	}
	path := filepath.Join(folder, id+".jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Chtimes(path, at, at); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) open() {
	p := consolidate.Open(consolidate.Options{
		Options:     ops.Options{MemoryDir: w.dir, StateHome: w.t.TempDir(), Now: func() time.Time { return worldTime }},
		Enabled:     consolidate.Switch{On: true},
		Transcripts: consolidate.MaskCredentials(search.Open(sessions.Options{Projects: w.sessions, Roots: []string{w.root}}), nil),
	})
	w.t.Cleanup(func() { p.Close("the test ended") })
	w.table = (&Connection{Project: p, Begin: func(*consolidate.Project) {}}).Table()
}

// call makes a call as a client does, and returns what the model reads of the answer.
func (w *world) call(tool, arguments string) (text string, refused bool) {
	w.t.Helper()
	for _, served := range w.table.Tools {
		if served.Tool.Name != tool {
			continue
		}
		var r mcp.CallToolRequest
		r.Params.Name, r.Params.RawArguments = tool, json.RawMessage(arguments)
		answer, err := served.Handler(context.Background(), r)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, content := range answer.Content {
			if part, ok := content.(mcp.TextContent); ok {
				text += part.Text
			}
		}
		w.calls++
		w.bytes += len(tool) + len(arguments) + len(text)
		return text, answer.IsError
	}
	w.t.Fatalf("no tool %q", tool)
	return "", true
}

// must is call for one that is not to be refused.
func (w *world) must(tool, arguments string) string {
	w.t.Helper()
	text, refused := w.call(tool, arguments)
	if refused {
		w.t.Fatalf("%s %s\n%s", tool, arguments, text)
	}
	return text
}

// pages follows the calls that pages name, and returns them all.
func (w *world) pages(tool, arguments string) []string {
	w.t.Helper()
	var pages []string
	next := regexp.MustCompile(tool + ` (\{"cursor": "[^"]*"\})`)
	for {
		page := w.must(tool, arguments)
		pages = append(pages, page)
		more := next.FindStringSubmatch(page)
		if more == nil {
			return pages
		}
		arguments = more[1]
	}
}

var harbour = []string{
	"quay", "crane", "pilot", "ferry", "buoy", "customs", "ledger", "roster", "berth", "tug", "beacon", "dredger", "tariff", "manifest", "gantry",
	"harbourmaster", "chart", "radio", "signal", "anchorage", "slipway", "warehouse", "container", "reefer", "bunker", "pontoon",
}

var kinds = []string{"feedback", "project", "project", "reference", "project", "user"}

// subject names the i-th thing that is remembered.
func subject(i int) (file, kind, title string) {
	kind, title = kinds[i%len(kinds)], harbour[i%len(harbour)]
	if round := i / len(harbour); round > 0 {
		title += " " + []string{"east", "west", "north", "south"}[round-1]
	}
	return fmt.Sprintf("%s_%s.md", kind, strings.ReplaceAll(title, " ", "-")), kind, title
}

// topicText is a memory of about so many bytes.
func topicText(i, size int) string {
	_, kind, title := subject(i)
	var b strings.Builder
	fmt.Fprintf(&b, "---\nname: %s\ndescription: how the %s of the harbour office is run, and what to look at before changing it\nmetadata:\n  type: %s\n  modified: 2026-%02d-%02dT10:00:00.000Z\n---\n",
		strings.ReplaceAll(title, " ", "-"), title, kind, 1+i%10, 1+i%28)
	fmt.Fprintf(&b, "The %s is kept by `svc-%d`, port %d, in room %s.\n\n", title, i, 4000+i, string(rune('A'+i%20))+fmt.Sprint(i))
	fmt.Fprintf(&b, "**Why:** the audit of 2026-0%d-1%d asked for it.\n\n**How to apply:** look at `make %s-%d` first.\n", 1+i%9, i%10, strings.ReplaceAll(title, " ", "-"), i)
	for n := 0; b.Len() < size; n++ {
		fmt.Fprintf(&b, "\nPoint %d on the %s: crew %s%d takes over at %02d:%02d, and order %d%d is filed with %s.\n",
			n+1, title, harbour[(i*7+n*3)%len(harbour)], (i+n*11)%97, (i+n)%24, (i*13+n*7)%60, i, n*37+11, harbour[(i*5+n)%len(harbour)])
	}
	return b.String()
}

func lineOf(i int, hook string) string {
	file, _, title := subject(i)
	return fmt.Sprintf("- [%s](%s) — %s\n", title, file, hook)
}

// populate writes so many topics of a size, and their index.
func (w *world) populate(topics, size int) {
	index := "# Memory\n\n"
	for i := range topics {
		file, _, title := subject(i)
		w.write(file, topicText(i, size))
		index += lineOf(i, "how the "+title+" is run")
	}
	w.write("MEMORY.md", index)
}

func (w *world) sum(file string) string {
	w.t.Helper()
	data, err := os.ReadFile(filepath.Join(w.dir, file))
	if err != nil {
		w.t.Fatal(err)
	}
	return memory.SumOf(data).Short()
}

var changing = regexp.MustCompile(`20\d{6}-\d{6}-[0-9a-f]{6}`)

// golden compares with a file of testdata, which -update writes.
func (w *world) golden(name, got string) {
	w.t.Helper()
	got = strings.NewReplacer(w.dir, "MEMORY", w.sessions+string(filepath.Separator), "PROJECTS/", w.sessions, "PROJECTS").Replace(changing.ReplaceAllString(got, "DREAM")) + "\n"
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			w.t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		w.t.Fatal(err)
	}
	if got != string(want) {
		w.t.Errorf("this is not what %s holds; go test ./tools -update rewrites it:\n%s", file, got)
	}
}
