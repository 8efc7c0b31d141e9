package consolidate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"dream-mcp/consolidate/transcript"
	"dream-mcp/memory"
	"dream-mcp/memory/landing"
	"dream-mcp/memory/secret"
)

// Words are what was said at a source of a memory. They are copied when the memory is written, since
// hosts sweep transcripts after a month, and stay as long as a memory, a stage or an
// archived content cites them.
//
// Each lies in a file of its own in our state folder, named by its source and never changed. It is
// durable before the change that cites it is staged; a crash between the two leaves words that nobody
// cites, which a later dream sweeps.
type Words struct {
	Source  string             `json:"source"` // as the metadata of a memory names it: SESSION:LINE, or SESSION:LINE.N
	Session string             `json:"session"`
	Speaker transcript.Speaker `json:"speaker"`
	Said    time.Time          `json:"said"`
	Text    string             `json:"text"` // credentials masked, hidden characters made visible, at most maxWords bytes
}

const (
	wordsFolder  = "words"
	maxWords     = 2_000               // bytes of text; the longest corrections of the census have a fifth of that (CENSUS 2)
	maxWordsFile = 8 * maxWords        // a file in JSON, of which each byte may need six
	wordsKept    = 90 * 24 * time.Hour // how long words stay that nothing cites
	maxSwept     = 20_000              // entries of the folder that one sweep looks at
)

// own reports whether the words are the person's.
func (w Words) own() bool { return w.Speaker == transcript.User }

// wordsOf copies an utterance.
func wordsOf(u transcript.Utterance, allowed secret.Allowed) Words {
	text := strings.TrimSpace(shownWords(u.Text, allowed)) // shown before it is cut
	if len(text) > maxWords {
		end := maxWords - len("…")
		for !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end] + "…"
	}
	return Words{Source: u.Source(), Session: u.Session, Speaker: u.Speaker, Said: u.Time.UTC(), Text: text}
}

// shownWords returns what was said as it may be shown.
func shownWords(text string, allowed secret.Allowed) string {
	return transcript.Visible(allowed.Mask(text))
}

func wordsFile(source string) string {
	sum := sha256.Sum256([]byte(source))
	return path.Join(wordsFolder, hex.EncodeToString(sum[:16])+".json")
}

// keepWords copies words into our state folder, unless they are there.
func keepWords(state *os.Root, w Words) error {
	if _, err := readWords(state, w.Source); err == nil {
		return nil
	}
	err := state.Mkdir(wordsFolder, 0o700)
	if err == nil {
		err = landing.SyncFolder(state, ".")
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	data, err := json.Marshal(w)
	if err != nil {
		return err
	}
	return landing.Replace(state, wordsFile(w.Source), data, time.Time{})
}

// keepWords keeps what is cited, before a change that cites it is staged.
func (p *Project) keepWords(cited []Words) error {
	if len(cited) == 0 {
		return nil
	}
	state, err := p.openState()
	if err != nil {
		return err
	}
	for _, w := range cited {
		p.step("words")
		if err := keepWords(state, w); err != nil {
			return err
		}
	}
	return nil
}

// readWords returns the words that were kept of a source.
func readWords(state *os.Root, source string) (Words, error) {
	var w Words
	data, err := memory.ReadBounded(state, wordsFile(source), maxWordsFile)
	if err == nil {
		err = json.Unmarshal(data, &w)
	}
	if err == nil && w.Source != source {
		err = fs.ErrNotExist
	}
	return w, err
}

// sweepWords removes words that are older than wordsKept and that no memory, stage or archived content
// cites. What can't be read is taken to cite all: nothing is removed then. The caller holds the lock.
func (p *Project) sweepWords(dir *memory.Dir, now time.Time) {
	state, err := p.openState()
	if err != nil {
		return
	}
	old, err := oldWords(state, now)
	if err != nil || len(old) == 0 {
		return
	}
	standing, err := dir.Snapshot()
	if err != nil || standing.Limited {
		return
	}
	for _, t := range standing.Topics {
		spare(old, t)
	}
	proposals, err := readProposals(state)
	if err != nil {
		return
	}
	for _, made := range proposals {
		spare(old, memory.ParseTopic([]byte(made.Content)))
	}
	ids, err := dreamIDs(state)
	if err != nil {
		return
	}
	for _, id := range ids {
		if len(old) == 0 {
			return
		}
		if err := spareArchived(state, id, old); err != nil {
			return
		}
	}
	for file := range old {
		state.Remove(file)
	}
}

// oldWords returns the files of words that are old enough to be swept.
func oldWords(state *os.Root, now time.Time) (map[string]bool, error) {
	f, err := memory.OpenFolder(state, wordsFolder)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(maxSwept)
	if err != nil {
		return nil, err
	}
	old := make(map[string]bool)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > wordsKept {
			old[path.Join(wordsFolder, e.Name())] = true
		}
	}
	return old, nil
}

// spare takes the words that a memory cites out of the old ones.
func spare(old map[string]bool, t *memory.Topic) {
	for _, source := range t.Sources() {
		delete(old, wordsFile(source))
	}
}

// spareArchived spares what the contents of one dream's folder cite.
func spareArchived(state *os.Root, id string, old map[string]bool) error {
	a, err := openArchive(state, id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a folder without a manifest holds nothing that could come back
	}
	if err != nil {
		return err
	}
	defer a.Close()
	for _, c := range a.Changes {
		for _, sum := range []memory.Sum{c.Before, c.After} {
			data, err := a.Content(sum)
			if errors.Is(err, fs.ErrNotExist) {
				continue // a stage keeps only what is to come
			}
			if err != nil {
				return err
			}
			spare(old, memory.ParseTopic(data))
		}
	}
	return nil
}
