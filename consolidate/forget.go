package consolidate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/share"
	"dream-mcp/consolidate/transcript/search"
	"dream-mcp/memory"
	"dream-mcp/memory/atomicfile"
	"dream-mcp/memory/forgotten"
)

// Places is where a text is that is to be forgotten.
type Places struct {
	Memories []string `json:"memories"` // FILE:LINE
	Archived int      `json:"archived"` // texts of the archive, and of what waits
	Quoted   int      `json:"quoted"`   // words that memories cite
	Records  int      `json:"records"`  // records, log and notes
	Stays    []string `json:"stays"`    // files of the memory directory that are not memories, or have it in their name
	Hits     int      `json:"hits"`     // hits in transcripts, which stay; at most maxForgotten
}

const (
	forgottenFile = "forgotten.json" // in the state folder of all memories
	forgottenLock = "forgotten.lock"

	maxForgotten   = 200 // hits that are counted
	maxWordsSought = 500 // bytes of the text
)

// ForgottenList is the path of what was forgotten.
func ForgottenList(stateHome string) string { return filepath.Join(stateHome, forgottenFile) }

// WhereIs returns where a text is. It changes nothing.
func (p *Project) WhereIs(ctx context.Context, text string) (at Places, err error) {
	list := forgotten.New()
	if !list.Add(text, "", p.Store.Now()) {
		return at, ops.Refuse("the text is too short or too long to be forgotten",
			fmt.Sprintf("give at least %d letters or digits, at most %d", forgotten.MinRunes, forgotten.MaxRunes))
	}
	words := strings.ToValidUTF8(text[:min(len(text), maxWordsSought)], "")
	res, err := p.Transcripts.Search(ctx, search.Query{Pattern: words, CaseSensitive: new(bool), Limit: maxForgotten})
	if err != nil {
		return at, err
	}
	at.Hits = len(res.Hits)
	p.Store.Lock()
	defer p.Store.Unlock()
	dir, err := p.Store.Dir()
	if err != nil {
		return at, err
	}
	if dir != nil {
		defer dir.Close()
		if at.Memories, at.Stays, err = findIn(dir, list); err != nil {
			return at, err
		}
	}
	found, err := p.Store.Records.Redact(list.Redact, true)
	for folder, n := range found {
		switch folder {
		case "blobs":
			at.Archived = n
		case "words":
			at.Quoted = n
		default:
			at.Records += n
		}
	}
	return at, err
}

// findIn returns the lines of the memories that have the text of list, and the files that keep it.
func findIn(dir *memory.Dir, list *forgotten.List) (lines, stays []string, err error) {
	l, err := dir.List()
	if err != nil {
		return nil, nil, err
	}
	for _, e := range l.Files {
		if name := e.Name.String(); list.Spans(name[:len(name)-len(filepath.Ext(name))]) != nil {
			stays = append(stays, name)
		}
		f, err := dir.Read(e.Name)
		if err != nil || !changeable(e.Name) {
			stays = append(stays, e.Name.String())
			continue
		}
		for _, s := range list.Spans(string(f.Data)) {
			lines = append(lines, fmt.Sprintf("%s:%d", e.Name, 1+bytes.Count(f.Data[:s.From], []byte("\n"))))
		}
	}
	for _, o := range l.Other {
		if data, err := dir.Root().ReadFile(o.Path); err == nil && list.Spans(string(data)) != nil {
			stays = append(stays, o.Path)
		}
	}
	return lines, stays, nil
}

func changeable(n memory.Name) bool { return n.IsIndex() || n.Writable() == nil }

// Forget replaces a text by forgotten.Mark in the memories, the archive, the quoted words, the records and whatever waits, and from
// then on in all that is shown of sessions. What is kept of the text is its length and a keyed hash. It cannot be undone. After a
// crash it was not begun, or FinishForgetting ends it.
func (p *Project) Forget(ctx context.Context, text string) error {
	p.Store.Lock()
	defer p.Store.Unlock()
	if t := p.Store.Current(); t != nil {
		return t.Busy()
	}
	if err := p.Store.Locked(ctx, func(*memory.Dir) error { return nil }); err != nil { // somebody dreams
		return err
	}
	memories := []string{p.Store.MemoryDir}
	if p.Person.Used() {
		memories = append(memories, share.PersonDir(p.Store.StateHome))
	}
	err := p.changeForgotten(ctx, func(l *forgotten.List) (added bool) {
		for _, dir := range memories { // in one change: a crash must not forget it in one of them alone
			added = l.Add(text, filepath.Base(ops.FolderOf(p.Store.StateHome, dir, "")), p.Store.Now())
		}
		return added
	})
	if err != nil {
		return err
	}
	return p.finishBoth(ctx)
}

// FinishForgetting ends what Forget had begun when it was interrupted.
func (p *Project) FinishForgetting(ctx context.Context) error {
	p.Store.Lock()
	defer p.Store.Unlock()
	return p.finishBoth(ctx)
}

// finishBoth forgets in the memory that the person has in all projects, from which the text would come back, and then in p's own.
func (p *Project) finishBoth(ctx context.Context) error {
	if p.Person.Used() {
		o := p.options
		o.MemoryDir = share.PersonDir(o.StateHome)
		all := Open(o)
		if err := errors.Join(all.FinishForgetting(ctx), all.Store.Records.Close()); err != nil {
			return err
		}
	}
	return p.finishForgetting(ctx)
}

func (p *Project) finishForgetting(ctx context.Context) error {
	list, err := p.readForgotten()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	key := filepath.Base(p.Store.Records.StateDir())
	if !slices.ContainsFunc(list.Texts, func(t forgotten.Text) bool { return t.Open == key }) {
		return nil
	}
	p.Store.Step("forget")
	info := p.Store.New(lock.KindForget)
	info.Reason = "a text was forgotten"
	landed, err := p.Store.Change(ctx, info, func(t *ops.Tx) (none ops.NewIndex, err error) {
		l, err := t.Dir.List()
		for _, e := range l.Files {
			f, readErr := t.Dir.Read(e.Name)
			if err != nil || readErr != nil || !changeable(e.Name) {
				continue // WhereIs says that it stays
			}
			if now := list.Redact(string(f.Data)); now != string(f.Data) {
				err = t.Stage.Restore(e.Name, []byte(now), f.ModTime)
			}
		}
		return none, err
	})
	if err == nil && landed.ID == "" {
		entry := info.Entry(ops.Committed, p.Store.Now())
		err = p.Store.Records.Append(entry)
	}
	if err == nil {
		err = p.Store.Locked(ctx, func(*memory.Dir) error {
			_, err := p.Store.Records.Redact(list.Redact, false)
			return err
		})
	}
	if err != nil {
		return err
	}
	p.Store.Step("remove the digests")
	digests := DigestDir(p.Store.StateHome, p.Store.MemoryDir)
	entries, _ := os.ReadDir(digests)
	for _, e := range entries {
		if err := os.Remove(filepath.Join(digests, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return p.changeForgotten(ctx, func(l *forgotten.List) bool {
		for i := range l.Texts {
			if l.Texts[i].Open == key {
				l.Texts[i].Open = ""
			}
		}
		return true
	})
}

// changeForgotten changes the list of what was forgotten, which all memories share.
func (p *Project) changeForgotten(ctx context.Context, change func(*forgotten.List) bool) error {
	if _, err := p.Store.Records.Root(); err != nil { // creates the folder
		return err
	}
	root, err := os.OpenRoot(p.Store.StateHome)
	if err != nil {
		return err
	}
	defer root.Close()
	unlock, err := lock.Note(ctx, root, p.Store.StateHome, forgottenLock, ops.Wait)
	if err != nil {
		return err
	}
	list, err := p.readForgotten()
	if errors.Is(err, fs.ErrNotExist) {
		list, err = forgotten.New(), nil
	}
	if err == nil && !change(list) {
		err = ops.Refuse("the text is too short or too long to be forgotten", "give some words of it")
	}
	var data []byte
	if err == nil {
		data, err = json.Marshal(list)
	}
	if err == nil {
		p.Store.Step("the list")
		err = atomicfile.Replace(root, forgottenFile, data, time.Time{})
	}
	if err == nil {
		forgotten.Use(ForgottenList(p.Store.StateHome)) // without the wait for another process
	}
	return errors.Join(err, unlock())
}

// readForgotten reads the list of what was forgotten. If there is none, it is an error that is fs.ErrNotExist.
func (p *Project) readForgotten() (*forgotten.List, error) {
	list, err := forgotten.Read(ForgottenList(p.Store.StateHome))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = ops.Refuse(err.Error(), "dream-mcp doctor --fix puts it aside; then forget the texts again")
	}
	return list, err
}

// damagedList says what follows where the list of what was forgotten cannot be read.
func damagedList(err error) string {
	return "what was forgotten is not kept out: " + err.Error() + "; dream-mcp doctor --fix puts the list aside"
}

// forgotten checks the list of what was forgotten, which all memories share.
func (d *doctor) forgotten() {
	err := forgotten.Damaged()
	if err == nil {
		return
	}
	list := ForgottenList(d.p.Store.StateHome)
	d.add(Check{Name: "forgotten", State: Wrong, Message: "what was forgotten is not kept out: " + err.Error(),
		Fix: "renames it, ending in .damaged, and begins a new list", Hint: "forget the texts again: dream-mcp forget",
		repair: func(context.Context) error { return os.Rename(list, list+".damaged") }})
}
