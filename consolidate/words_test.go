package consolidate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/transcript"
	"dream-mcp/memory"
)

// sourced is a topic that names sources.
func sourced(name, sources string) string {
	return strings.Replace(topic(name, "feedback"), "metadata:\n", "metadata:\n  sources: ["+sources+"]\n", 1)
}

// Words are masked, bounded, made visible, one line of JSON that reads back; a source that another's file
// would be taken for is not found.
func TestWordsOf(t *testing.T) {
	u := transcript.Utterance{ID: "said:7.2", Session: "said", Line: 7, Speaker: transcript.User, Time: start.In(time.FixedZone("", 3600)),
		Text: "the password is: pa55w0rd-Zq8!xK2m \u202e" + strings.Repeat("é", maxWords)}
	w := wordsOf(u, nil)
	if w.Source != "said:7.2" || strings.Contains(w.Text, "pa55") || strings.Contains(w.Text, "\u202e") || len(w.Text) > maxWords || !strings.HasSuffix(w.Text, "é…") || w.Said.Location() != time.UTC {
		t.Errorf("%+v", w)
	}
	state, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer state.Close()
	for range 2 {
		if err := keepWords(state, w); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := readWords(state, w.Source); err != nil || got != w {
		t.Errorf("%+v, %v", got, err)
	}
	if err := state.Rename(wordsFile(w.Source), wordsFile("other:1")); err != nil {
		t.Fatal(err)
	}
	if got, err := readWords(state, "other:1"); err == nil {
		t.Errorf("the words of another source: %+v", got)
	}
}

// Old words go when neither a memory, nor a stage, nor an archived content, nor a proposal cites them.
func TestSweepWords(t *testing.T) {
	tests := []struct {
		name  string
		days  int
		cite  func(w *world, p *Project)
		swept bool
	}{
		{name: "nobody cites them", days: 91, swept: true},
		{name: "nobody cites them, and they are young", days: 89},
		{name: "a memory cites them", days: 500, cite: func(w *world, p *Project) { w.put("f.md", sourced("f", "said:1")) }},
		{name: "a memory that was changed since", days: 91, cite: func(w *world, p *Project) {
			w.put("f.md", sourced("f", "said:1"))
			w.must(p.Write(ctx, WriteRequest{Path: "f.md", Delete: true, Base: sum(sourced("f", "said:1")), Agreed: "it is a test"}))
		}},
		{name: "a stage that was left", days: 91, cite: func(w *world, p *Project) {
			w.mustDo(p.Begin(ctx, true, false))
			w.must(p.Write(ctx, WriteRequest{Path: "f.md", Content: text(sourced("f", "said:1"))}))
			_, _, err := p.Abort(ctx, "later")
			w.mustDo(err)
		}},
		{name: "a proposal", days: 91, cite: func(w *world, p *Project) {
			p.state, _ = p.openState()
			_, err := p.propose(Proposal{Path: "f.md", Content: sourced("f", "said:1")})
			w.mustDo(err)
		}},
		{name: "nobody knows, for a manifest is damaged", days: 91, cite: func(w *world, p *Project) {
			w.must(p.Write(ctx, WriteRequest{Path: "f.md", Content: text(topic("f", "project"))}))
			manifests, _ := filepath.Glob(filepath.Join(p.StateDir(), dreamFolder, "*", "manifest.json"))
			w.mustDo(os.WriteFile(manifests[0], []byte("{"), 0o600))
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			p := w.open()
			if test.cite != nil {
				test.cite(w, p)
			}
			w.mustDo(p.keepWords([]Words{{Source: "said:1", Text: "x"}, {Source: "said:2", Text: "y"}}))
			at := w.now.AddDate(0, 0, -test.days)
			w.mustDo(p.state.Chtimes(wordsFile("said:1"), at, at))
			w.mustDo(p.state.Chtimes(wordsFile("said:2"), w.now, w.now))
			dir, err := p.openDir()
			w.mustDo(err)
			defer dir.Close()
			p.sweepWords(dir, w.now)
			if _, err := p.keptWords("said:1"); (err != nil) != test.swept {
				t.Errorf("swept: %v", err)
			}
			if _, err := p.keptWords("said:2"); err != nil {
				t.Errorf("young words: %v", err)
			}
		})
	}
}

func (w *world) mustDo(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) must(_ WriteResult, err error) { w.t.Helper(); w.mustDo(err) }

// A content that names sources by itself carries their words along; what it invents stays a name.
func TestCarriedSources(t *testing.T) {
	w := newWorld(t)
	p := w.open()
	w.must(p.Write(ctx, WriteRequest{Path: "f.md", Content: text(sourced("f", "said:1, said:99, nowhere:1"))}))
	w.mustDo(os.RemoveAll(w.transcripts()))
	if said, err := p.keptWords("said:1"); err != nil || said.Text == "" {
		t.Errorf("%+v, %v", said, err)
	}
	data, _ := os.ReadFile(filepath.Join(w.memory, "f.md"))
	origins, err := p.Origins(ctx, memory.ParseTopic(data))
	if err != nil || len(origins) != 3 || origins[0].Speaker != transcript.User || origins[0].Transcript || origins[1].Speaker != "" {
		t.Errorf("%+v, %v", origins, err)
	}
}
