package said

import (
	"path/filepath"
	"strings"
)

// endingTail is how much of the end of a transcript an Ending is read from: some thousand messages.
const endingTail = 4 << 20

// An Ending is what a person said last in a session.
type Ending struct {
	Session string   // its ID, as a search knows it
	Words   []string // in their order; neither made visible nor masked
	Saved   bool     // the model saved something; Words are what was said since
}

// ReadEnding reads what a person said last in a transcript: at most so many turns, from the last 4 MiB, since
// the model last used a tool of its own accord that saves reports, and since a dream or an extraction, which have reviewed
// what was said before. The tool's answer is not read: a save that was refused counts. It knows the files of Claude
// Code, and of Gemini CLI, which must be read whole: a longer one is not read.
func ReadEnding(path string, turns int, saves func(tool, file string) bool) (Ending, error) {
	name := filepath.Base(path)
	f := File{Path: path, Host: ClaudeCode, ID: strings.TrimSuffix(name, ".jsonl")}
	if stem, ok := Forms[Gemini].stem(name); ok && geminiID(stem) != "" {
		f.Host, f.ID = Gemini, geminiID(stem)
		if at, err := f.Now(); err != nil || at.Size > endingTail {
			return Ending{Session: f.ID}, err
		}
	}
	var (
		end      Ending
		dreaming bool
	)
	ours := sums{}
	err := f.tail(endingTail, func(r *record) {
		if r.Sidechain.isTrue() {
			return
		}
		said, marks := r.parts(nil, ours, false)
		if marks == dreamBegun {
			dreaming, end = true, Ending{}
			return
		}
		for _, p := range said {
			if p.typed() && p.text != "" {
				dreaming = false
				end.add(p.text)
			}
		}
		if !dreaming && r.saves(saves) {
			end = Ending{Saved: true}
		}
	})
	end.Session, end.Words = f.ID, end.Words[max(0, len(end.Words)-turns):]
	return end, err
}

// add adds words, once: what was queued is recorded again as a turn.
func (e *Ending) add(text string) {
	if n := len(e.Words); n == 0 || e.Words[n-1] != text {
		e.Words = append(e.Words, text)
	}
}

// saves reports whether the model uses a tool in r that saves.
func (r *record) saves(saves func(tool, file string) bool) bool {
	if !r.Type.is("assistant") {
		return false
	}
	for _, b := range r.Message.Blocks {
		if !b.isUse() {
			continue
		}
		var file raw
		for _, key := range []string{"file_path", "path", "notebook_path"} {
			if file == nil {
				file = b.Input.field(key)
			}
		}
		if saves(b.Name.text(), file.text()) {
			return true
		}
	}
	return false
}
