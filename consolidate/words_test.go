package consolidate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/proposal"
	"dream-mcp/consolidate/state"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory"
)

// sourced is a topic that names sources.
func sourced(name, sources string) string {
	return strings.Replace(topic(name, "feedback"), "metadata:\n", "metadata:\n  sources: ["+sources+"]\n", 1)
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
			w.must(p.Write(ctx, WriteRequest{Path: "f.md", Delete: true, Base: sum(sourced("f", "said:1"))}))
		}},
		{name: "a stage that was left", days: 91, cite: func(w *world, p *Project) {
			w.mustDo(p.Begin(ctx, true, false))
			w.must(p.Write(ctx, WriteRequest{Path: "f.md", Content: new(sourced("f", "said:1"))}))
			_, _, err := p.Abort(ctx, "later")
			w.mustDo(err)
		}},
		{name: "a proposal", days: 91, cite: func(w *world, p *Project) {
			n, err := memory.ParseName("f.md")
			w.mustDo(err)
			w.mustDo(withFileLock(p, func(dir *memory.Dir) error {
				_, err := p.Proposals.queue.Hold(dir, proposal.Change{ID: ops.NewID(w.now), Name: n, Data: []byte(sourced("f", "said:1"))})
				return err
			}))
		}},
		{name: "nobody knows, for a record is damaged", days: 91, cite: func(w *world, p *Project) {
			w.must(p.Write(ctx, WriteRequest{Path: "f.md", Content: new(topic("f", "project"))}))
			w.query("UPDATE operations SET record = '{'")
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			p := w.open()
			if test.cite != nil {
				test.cite(w, p)
			}
			now := w.now
			w.setNow(now.AddDate(0, 0, -test.days))
			w.mustDo(p.Sources.Keep([]state.Words{{Source: "said:1", Text: "x"}}))
			w.setNow(now)
			w.mustDo(p.Sources.Keep([]state.Words{{Source: "said:2", Text: "y"}}))
			dir, err := dirOf(p)
			w.mustDo(err)
			defer dir.Close()
			p.Sources.Sweep(dir)
			if _, kept := p.Sources.Kept("said:1"); kept == test.swept {
				t.Errorf("swept: %v", !kept)
			}
			if _, kept := p.Sources.Kept("said:2"); !kept {
				t.Errorf("young words were swept")
			}
		})
	}
}

// A content that names sources by itself carries their words along; what it invents stays a name.
func TestCarriedSources(t *testing.T) {
	w := newWorld(t)
	p := w.open()
	w.must(p.Write(ctx, WriteRequest{Path: "f.md", Content: new(sourced("f", "said:1, said:99, nowhere:1"))}))
	w.mustDo(os.RemoveAll(w.transcripts()))
	if said, ok := p.Sources.Kept("said:1"); !ok || said.Text == "" {
		t.Errorf("%+v, %v", said, ok)
	}
	data, _ := os.ReadFile(filepath.Join(w.memory, "f.md"))
	origins, err := p.Sources.Origins(ctx, memory.ParseTopic(data))
	if err != nil || len(origins) != 3 || origins[0].Speaker != said.User || origins[0].Transcript || origins[1].Speaker != "" {
		t.Errorf("%+v, %v", origins, err)
	}
}
