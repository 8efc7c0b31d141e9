package search

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/host"
	"dream-mcp/consolidate/transcript/cache"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/testdata/fixture"
)

// openCodeStore opens the project with a folder of opencode's that holds files of said/testdata/opencode.
func openCodeStore(t testing.TB, cached string, names ...string) (s *Store, home string) {
	t.Helper()
	home = t.TempDir()
	for _, name := range names {
		addFixture(t, home, name)
	}
	s = openWith(sessions.Options{Roots: []string{fixture.Root}, Homes: []said.HostHome{{Format: &host.Find("opencode").Sessions[0].Format, Home: home}}}, cached)
	t.Cleanup(s.Close)
	return s, home
}

// addFixture copies a file of said/testdata/opencode, "v1.db" as "opencode.db".
func addFixture(t testing.TB, home, name string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "said", "testdata", "opencode", name))
	if err != nil {
		t.Fatal(err)
	}
	fixture.Put(t, home, strings.NewReplacer("v1", "opencode", "v2", "opencode-beta").Replace(name), string(data), 0)
}

// lanternSaid is the first session of the fixtures.
var lanternSaid = []string{
	"opencode user: no, the lantern is green",
	"opencode assistant: Green it is.\n\nThe green lantern is lit.",
	"opencode tool: bash: command=paint --green",
	"opencode tool: edit: filePath=a.go",
	"opencode tool: painted 灯 " + strings.Repeat("x", 3000),
	"opencode tool: no such lantern",
}

// What a person and the model said in the project is read; what is another project's, a sub-agent's, a dream's or the
// host's is not; what a fork copied counts once.
func TestOpenCode(t *testing.T) {
	s, home := openCodeStore(t, "", "v1.db")
	fixture.Equal(t, "what was said", all(t, s), append(append([]string{}, lanternSaid...), lanternSaid...))
	sessions, skipped, err := s.Sessions(t.Context(), time.Time{})
	if got, want := fmt.Sprint(skipped), "map[dreams:1 ghosts without an utterance:1 sessions of other projects:1 sub-agents:1]"; err != nil || got != want {
		t.Errorf("skipped %s, %v\nwant %s", got, err, want)
	}
	database := filepath.Join(home, "opencode.db")
	if len(sessions) != 2 || sessions[0].ID != "opencode/ses_1" || sessions[0].Host != "opencode" || sessions[0].File.Path != filepath.Join(database, "ses_1") ||
		sessions[0].First != "no, the lantern is green" ||
		!sessions[0].ModTime.Equal(fixture.Start.Add(10*time.Second)) {
		t.Errorf("sessions %+v", sessions)
	}
	folders, err := s.Folders()
	if err != nil || len(folders) != 1 || folders[0].Path != database || folders[0].Problem != "" {
		t.Errorf("folders %+v, %v", folders, err)
	}
	// An id is good for the words, their neighbours, and as a source, whether found in a digest or not.
	for range 2 {
		r := search(t, s, Query{Pattern: "lantern is lit"})
		if len(r.Hits) != 1 || r.Matches != 1 {
			t.Fatalf("hits %+v", r.Hits)
		}
		u, err := s.Lookup(t.Context(), r.Hits[0].ID)
		if err != nil || !strings.HasSuffix(u.Text, "is lit.") || u.Source() != r.Hits[0].ID {
			t.Errorf("lookup: %+v, %v", u, err)
		}
		if turns, err := s.ContextOf(t.Context(), []string{r.Hits[0].ID}, 1); err != nil || len(turns) != 2 || turns[0].Text != "no, the lantern is green" {
			t.Errorf("turns %+v, %v", turns, err)
		}
		if r := search(t, s, Query{Pattern: "painted", Speakers: []said.Speaker{said.Tool}}); r.Matches != 1 {
			t.Errorf("tools: %+v", r)
		}
		if r := search(t, s, Query{Pattern: "memory of"}); len(r.Hits) != 0 {
			t.Errorf("what our own tools answered: %+v", r.Hits)
		}
		if _, err := s.Read(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := s.Count(t.Context(), fixture.Start.Add(9500*time.Millisecond), 0); err != nil || n != 1 {
		t.Errorf("%d sessions since a time, %v", n, err)
	}
	s.SetCurrent("ses_1")
	if n, err := s.Count(t.Context(), time.Time{}, 0); err != nil || n != 1 {
		t.Errorf("%d sessions beside the current one, %v", n, err)
	}
	o := s.Options
	o.Roots = []string{"/home/dev/nowhere"}
	if folders, _ := Open(o).Folders(); len(folders) != 0 {
		t.Errorf("folders of another project %+v", folders)
	}
}

// A commit in the log is seen; what did not change is not read again, by another process neither.
func TestOpenCodeGrows(t *testing.T) {
	cached := filepath.Join(t.TempDir(), cache.FileName)
	s, home := openCodeStore(t, cached, "v1.db")
	if n, err := s.Read(t.Context()); err != nil || n != 2 {
		t.Fatalf("%d sessions, %v", n, err)
	}
	if r := search(t, s, Query{Pattern: "twice"}); r.Matches != 0 {
		t.Errorf("before: %+v", r.Hits)
	}
	addFixture(t, home, "v1.db-wal")
	for range 2 {
		fixture.Equal(t, "after", hits(search(t, s, Query{Pattern: "twice"})), []string{"Twice.", "paint it twice"})
		if _, err := s.Read(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s.Close()
	other := openWith(s.Options, s.Cache)
	defer other.Close()
	fixture.Equal(t, "another process", hits(search(t, other, Query{Pattern: "twice"})), []string{"Twice.", "paint it twice"})
	// Of a session that was deleted nothing stays.
	kept := func() (n int) {
		t.Helper()
		db, err := sql.Open("sqlite", cached)
		if err == nil {
			defer db.Close()
			err = db.QueryRow(`SELECT count(DISTINCT session) FROM utterance`).Scan(&n)
		}
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	other.cache().Sweep(t.Context(), other.Gone())
	if n := kept(); n != 2 {
		t.Errorf("%d sessions are kept after a sweep", n)
	}
	os.Remove(filepath.Join(home, "opencode.db-wal"))
	data, err := os.ReadFile(filepath.Join(home, "opencode.db"))
	if err != nil {
		t.Fatal(err)
	}
	fixture.Put(t, home, "opencode.db", strings.ReplaceAll(string(data), "ses_6", "ses_9"), 1)
	other.cache().Sweep(t.Context(), other.Gone())
	if n := kept(); n != 1 {
		t.Errorf("%d sessions are kept after one went", n)
	}
}

// In a database of 2.0 a session is read where that version has it, and the older ones where they were left.
func TestOpenCodeTwo(t *testing.T) {
	s, _ := openCodeStore(t, "", "v2.db")
	fixture.Equal(t, "what was said", all(t, s), append(append([]string{}, lanternSaid...),
		"opencode user: no, the lantern is green",
		"opencode assistant: Green it is.",
		"opencode tool: bash: command=paint",
		"opencode tool: edit: filePath=a.go",
		"opencode tool: bash",
		"opencode tool: painted",
		"opencode tool: no such lantern",
		"opencode user: keep the lantern green",
		"opencode tool: shell: command=go test",
		"opencode tool: ok lantern",
		"opencode user: back to the lantern",
	))
	_, skipped, err := s.Sessions(t.Context(), time.Time{})
	if skipped[said.Subagent] != 1 || skipped[said.OtherProject] != 1 || err != nil {
		t.Errorf("skipped %v, %v", skipped, err)
	}
}

// A database that cannot be read is named as a problem, is not a session, and stops nothing.
func TestOpenCodeUnreadable(t *testing.T) {
	for name, text := range map[string]string{"opencode.db": "not a database", "opencode-x.db": ""} {
		s, home := openCodeStore(t, "")
		fixture.Put(t, home, name, text, 0)
		folders, err := s.Folders()
		if err != nil || len(folders) != 1 || !strings.Contains(folders[0].Problem, "not a database") && !strings.Contains(folders[0].Problem, "no table of sessions") {
			t.Errorf("folders %+v, %v", folders, err)
		}
		if sessions, skipped, err := s.Sessions(t.Context(), time.Time{}); err != nil || len(sessions) != 0 || skipped[said.Unreadable] != 1 {
			t.Errorf("%+v, %v, %v", sessions, skipped, err)
		}
	}
	s, home := openCodeStore(t, "")
	addFixture(t, home, "v1.db")
	if err := os.Rename(filepath.Join(home, "opencode.db"), filepath.Join(home, "elsewhere")); err != nil {
		t.Fatal(err)
	}
	if os.Symlink("elsewhere", filepath.Join(home, "opencode.db")) == nil {
		if got := all(t, s); len(got) != 0 {
			t.Errorf("through a link: %q", got)
		}
	}
	s.Options.Homes = []said.HostHome{{Format: &host.Find("opencode").Sessions[0].Format, Home: filepath.Join(home, "elsewhere")}} // OPENCODE_DB
	if got := all(t, s); len(got) != 2*len(lanternSaid) {
		t.Errorf("a database by its name: %q", got)
	}
}

// A counted collection counts how often a session is read.
type counted struct {
	said.Collection
	reads int
}

func (c *counted) Read(id string) ([]said.Record, said.Status, error) {
	c.reads++
	return c.Collection.Read(id)
}

// However many hits of a page are in one session, it is read once for them.
func TestPagesReadASessionOnce(t *testing.T) {
	s, _ := openCodeStore(t, "", "v1.db")
	c := &counted{}
	sessions, _, err := s.Accepted(t.Context(), time.Time{})
	if err != nil || len(sessions) == 0 {
		t.Fatal(sessions, err)
	}
	c.Collection = sessions[0].Of
	for i := range sessions {
		sessions[i].Of = c
	}
	q := Query{Pattern: ".", Regex: true, Speakers: []said.Speaker{said.Tool}, Limit: maxLimit, Context: 9}
	p, err := compile(q, q.Pattern)
	if err != nil {
		t.Fatal(err)
	}
	scan := newScan(&walk{store: s, query: q, sessions: sessions[:1], skipped: said.Skipped{}}, []*pattern{p}, nil)
	if err := scan.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	found := scan.distinct()
	if len(found) < 2 || scan.read.Load() == 0 {
		t.Fatalf("%d matches, in %d bytes", len(found), scan.read.Load())
	}
	c.reads = 0
	texts, err := scan.again(t.Context(), found)
	if err != nil || len(texts) != len(found) || texts[0] == nil || c.reads != 1 {
		t.Errorf("%d of %d texts by %d readings, %v", len(texts), len(found), c.reads, err)
	}
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	if _, err := scan.again(late, found); err == nil {
		t.Error("it goes on when the time is up")
	}
}
