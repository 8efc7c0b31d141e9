package consolidate

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"hash/fnv"
	"io/fs"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/indexing"
	"dream-mcp/consolidate/transcript/listing"
	"dream-mcp/memory"
	"dream-mcp/memory/lazy"
	"dream-mcp/memory/related"
	"dream-mcp/memory/visible"
)

// leftFile is a note in the state folder.
const leftFile = "left.json"

// left is what a dream left in the memory directory: of each file the marks of its passages, without their text.
type left struct {
	Dream   string             `json:"dream"`
	Time    time.Time          `json:"time"`
	Files   map[string]string  `json:"files"`
	Before  *left              `json:"before,omitempty"` // of the dream before it, which counts when this one is undone
	Project string             `json:"project"`          // as it is named to the person
	Folder  string             `json:"folder"`           // the memory directory
	About   []related.Document `json:"about,omitempty"`  // for the dreams of other projects
}

// markSize is the length of the mark of a passage.
const markSize = 6

func marksOf(passages []related.Passage) string {
	var b strings.Builder
	for _, p := range passages {
		h := fnv.New64a()
		h.Write([]byte(p.Text))
		b.WriteString(base64.RawURLEncoding.EncodeToString(h.Sum(nil))[:markSize])
	}
	return b.String()
}

// marked reports whether one of the marks is that of p.
func marked(marks string, p related.Passage) bool {
	mark := marksOf([]related.Passage{p})
	for at := 0; at+markSize <= len(marks); at += markSize {
		if marks[at:at+markSize] == mark {
			return true
		}
	}
	return false
}

// noteLeft records what a dream left. Without the note the next dream is like the first, so an error is not one of the dream.
func (p *Project) noteLeft(dream string) {
	dir, err := p.Store.Disk()
	if err != nil || dir == nil {
		return
	}
	defer dir.Close()
	s, err := dir.Snapshot()
	if err != nil {
		return
	}
	shown := s.Shown(nil)
	l := left{Dream: dream, Time: p.Store.Now(), Files: map[string]string{}, Project: p.Person.Project, Folder: p.Store.MemoryDir, About: p.about(shown)}
	if before, err := p.readLeft(); err == nil && before.Dream == dream { // recovery calls this again
		l.Before = before.Before
	} else if err == nil {
		before.Before, before.About = nil, nil
		l.Before = &before
	}
	for _, d := range related.Documents(shown) {
		l.Files[d.File] = marksOf(d.Passages())
	}
	_ = p.Store.Records.SetNote(leftFile, l)
}

// maxLeft bounds the note, in bytes: two times 50,000 memories.
const maxLeft = 16 << 20

// readLeft returns what the last dream left that is not undone. It fails where that is not known.
func (p *Project) readLeft() (l left, err error) {
	root, err := p.Store.Records.Root()
	if err != nil {
		return l, err
	}
	data, err := memory.ReadBounded(root, leftFile, maxLeft)
	if err != nil {
		return l, err
	}
	undone, err := p.Store.Records.Undone()
	if err := errors.Join(err, json.Unmarshal(data, &l)); err != nil {
		return l, err
	}
	if undone[l.Dream] && l.Before != nil {
		l = *l.Before
	}
	if undone[l.Dream] {
		return left{}, fs.ErrNotExist
	}
	return l, nil
}

// before returns what the last dream left, or nil where that is not known.
func (d *dream) before() *left {
	if !d.asked {
		d.asked = true
		if l, err := d.p.readLeft(); err == nil {
			d.left = &l
		}
	}
	return d.left
}

// A Changed is a memory that somebody else changed since the last dream: the host, the person, another machine or another
// program.
type Changed struct {
	File    string
	Action  string // created, changed or deleted
	Beside  []related.Pair
	Touches []string          // what it touches besides, as file:line
	Alone   []related.Passage // the first of what is new and touches nothing
}

// The numbers of passages that are shown beside what changed, of all memories and of one.
const (
	maxBeside = 40
	maxOfOne  = 20
	minOfOne  = 3
	maxNamed  = 12 // more that are only named
	maxAlone  = 3
)

// changed returns what somebody else changed, and whether it is known what the last dream left.
func (d *dream) changed(x *related.Index, now *memory.Snapshot) (changes []Changed, known bool) {
	l := d.before()
	if l == nil {
		return nil, false
	}
	ours := d.p.ownSums(l.Time)
	staged := d.Stage.Touched()
	here := map[string]bool{}
	var passages [][]related.Passage
	for _, doc := range related.Documents(now.Shown(nil)) {
		here[doc.File] = true
		n, _ := memory.ParseName(doc.File)
		if t := now.Topics[n]; staged[n] || t != nil && ours[doc.File] == memory.SumOf(t.Bytes()) {
			continue
		}
		old, had := l.Files[doc.File]
		all := doc.Passages()
		if had && marksOf(all) == old {
			continue
		}
		c := Changed{File: doc.File, Action: "created"}
		if had {
			c.Action = "changed"
			all = slices.DeleteFunc(all, func(p related.Passage) bool { return marked(old, p) })
		} else if n.IsIndex() {
			continue // what it says is not new because it has no links
		}
		changes, passages = append(changes, c), append(passages, all)
	}
	each := max(minOfOne, min(maxOfOne, maxBeside/max(1, len(changes))))
	for i := range changes {
		changes[i].beside(x, passages[i], each)
	}
	for file := range l.Files {
		n, err := memory.ParseName(file)
		if sum, own := ours[file]; err == nil && !here[file] && !staged[n] && (!own || sum != "") && !n.IsIndex() {
			changes = append(changes, Changed{File: file, Action: "deleted"})
		}
	}
	slices.SortStableFunc(changes, func(a, b Changed) int { return strings.Compare(a.File, b.File) })
	return changes, true
}

var isoDay = lazy.New(`\b20\d\d-\d\d-\d\d\b`)

// passed returns the passages that the last dream left and that name a day which lay ahead then, and does no longer.
func (d *dream) passed(docs []related.Document, now time.Time) (all []related.Passage) {
	l := d.before()
	if l == nil {
		return nil
	}
	last, today := l.Time.Format(time.DateOnly), now.Format(time.DateOnly)
	came := func(day string) bool { return last < day && day <= today }
	for _, doc := range docs {
		for _, p := range doc.Passages() {
			if slices.ContainsFunc(isoDay.FindAllString(p.Text, -1), came) && marked(l.Files[doc.File], p) {
				all = append(all, p)
			}
		}
	}
	return all
}

// beside fills in what passages of c touch.
func (c *Changed) beside(x *related.Index, passages []related.Passage, max int) {
	pairs := x.Beside(passages, related.NameWords(c.File), func(file string) bool { return file == c.File }, max+maxNamed)
	c.Beside = pairs[:min(len(pairs), max)]
	for _, p := range pairs[len(c.Beside):] {
		c.Touches = append(c.Touches, p.Where())
	}
	for _, p := range passages {
		if len(c.Alone) < maxAlone && !slices.ContainsFunc(c.Beside, func(b related.Pair) bool { return b.From == p }) {
			c.Alone = append(c.Alone, p)
		}
	}
	slices.SortStableFunc(c.Beside, func(a, b related.Pair) int { return a.From.Line - b.From.Line })
}

// ownSums returns what this program's operations left of files since a time, "" for none. A sync with a remote is not ours, nor
// is what an undo gave back of an operation since then.
func (p *Project) ownSums(since time.Time) map[string]memory.Sum {
	sums := map[string]memory.Sum{}
	all, _ := p.History.Landed()
	undone, _ := p.Store.Records.Undone()
	back := map[string]bool{} // operations since then that are undone
	for _, l := range all {
		switch {
		case l.Kind.FromOthers() || l.Landed.Before(since):
			continue
		case undone[l.ID]:
			back[l.ID] = true
			continue
		case back[l.Undoes]:
			continue
		}
		for _, c := range l.Changes {
			sums[c.Name.String()] = c.After
		}
	}
	return sums
}

// How much of an utterance is looked at, and how many passages are shown beside it.
const (
	maxTouched  = 2
	maxLookedAt = 6     // passages
	maxAsked    = 1_500 // bytes of an utterance that are looked at
	maxPassage  = 200   // characters of a passage

	// minTouch is the score that a passage has at least, times the weight of the words that it shares with the utterance. In
	// 163 utterances of two invented projects most passages below it were on something else, but not all.
	minTouch = 4
)

// touch returns what finds the passages of memories that an utterance touches; nil outside dreams. The first dream reads all
// memories: it needs no text of a passage.
func (d *dream) touch() listing.Touch {
	if d == nil {
		return nil
	}
	_, s, err := indexing.Foresee(d.Tx, nil)
	if err != nil || len(s.Topics) == 0 {
		return nil
	}
	known := d.before() != nil
	x := related.New(related.Documents(s.Shown(nil)))
	return func(text string) (touched []listing.Touched) {
		text = text[:min(len(text), maxAsked)]
		for _, h := range x.Touched(related.Question{Text: text, PerFile: 1, Max: maxLookedAt}) {
			if len(touched) == maxTouched || h.Score*x.Meeting(text, h) < minTouch {
				continue
			}
			t := listing.Touched{Where: h.Where()}
			if known {
				t.Text = visible.Short(memory.OneLine(h.Text), maxPassage)
			}
			touched = append(touched, t)
		}
		return touched
	}
}
