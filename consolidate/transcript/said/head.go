package said

import (
	"bytes"
	"context"
	"io"
	"slices"
	"sync/atomic"
	"time"
)

// headSize is what is read of every session, at its head and its end (FACTS 4.2).
const headSize = 64 << 10

// maxHead bounds how far a head is read for what the first headSize bytes do not say.
const maxHead = 64 << 20

// maxCWDs bounds the working directories kept of one head; 25 were seen in a session (CENSUS 2).
const maxCWDs = 64

// warmUp is all that is said in the sessions by which old hosts warmed their caches (CENSUS 2).
const warmUp = "Warmup"

// A Head is what the beginning of a transcript says about the session.
type Head struct {
	Reason Reason // why it is not a session of anybody; empty when it is one
	CWDs   []string
	Branch string
	Title  string
	First  string    // the first words that a person typed
	Last   time.Time // the latest time in the head
}

var resultBytes = []byte(`"tool_result"`)

// ReadHead reads as far as it must to know a working directory and whether a person typed anything
// but a dream: headSize as a rule, the whole transcript of a background dream.
func ReadHead(s *Source, host Host) (Head, error) {
	var (
		h                       Head
		begun, spoke            bool // a record was read; somebody said something
		typed, dreamt, warmedUp bool // a person typed; a dream was opened; "Warmup" was all that was typed
		prompted                bool // by a program
	)
	beginning := *s
	beginning.Length = min(s.Length, maxHead) // one line may be all of a huge file
	lines := beginning.Lines(context.Background(), 1, 0, new(atomic.Int64))
	defer lines.Close()
	lineRecords := newDecoder(host)
	var said []part
	ours := sums{}
	for lines.next < headSize || lines.next < maxHead && (len(h.CWDs) == 0 || !typed) {
		line, _, err := lines.read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return Head{}, err
		}
		line = trimmed(line, lines.start == 0)
		if len(line) == 0 || lines.start >= headSize && spoke && len(h.CWDs) > 0 && bytes.Contains(line, resultBytes) {
			continue
		}
		records, _ := lineRecords.line(line)
		for i := range records {
			r := &records[i]
			h.note(r)
			if !begun && r.Sidechain.isTrue() {
				return Head{Reason: Subagent, CWDs: h.CWDs}, nil
			}
			begun = begun || !r.Type.empty()
			var marks event
			said, marks = r.parts(said[:0], ours, !spoke)
			dreamt = dreamt || marks == dreamBegun
			prompted = prompted || marks == automated
			for _, p := range said {
				spoke = spoke || p.text != ""
				switch {
				case !p.typed() || typed:
				case p.text == warmUp:
					warmedUp = true
				default:
					typed, h.First = true, p.text
				}
			}
		}
	}
	switch {
	case typed:
	case dreamt:
		h.Reason = Dream
	case warmedUp:
		h.Reason = WarmUp
	case prompted:
		h.Reason = Automated
	case !spoke:
		h.Reason = Ghost
	case Forms[host] != nil: // jobs and heartbeats, by which other hosts talk to themselves
		h.Reason = Untyped
	}
	return h, nil
}

// note takes in what a record says about the session.
func (h *Head) note(r *record) {
	for _, v := range []raw{r.CWD, r.Worktree.field("originalCwd")} {
		if cwd := name(v); cwd != "" && len(h.CWDs) < maxCWDs && !slices.Contains(h.CWDs, cwd) {
			h.CWDs = append(h.CWDs, cwd)
		}
	}
	if h.Branch == "" {
		h.Branch = name(r.Branch)
	}
	switch {
	case !r.CustomTitle.empty():
		h.Title = r.CustomTitle.text()
	case !r.AITitle.empty():
		h.Title = r.AITitle.text()
	}
	if t := r.time(); t.After(h.Last) {
		h.Last = t
	}
}

// ReadTail returns the title and the latest time at the end of a transcript; neither where that cannot be read.
func ReadTail(f File) (h Head) {
	_ = f.tail(headSize, h.note)
	return h
}

// tail calls do with each record in the last most bytes of a session, of which it leaves out what is before a newline.
func (f File) tail(most int64, do func(*record)) error {
	source, err := f.Open()
	if err != nil {
		return err
	}
	defer source.Close()
	offset := max(0, source.Length-most)
	lines := source.Lines(context.Background(), 1, offset, new(atomic.Int64))
	defer lines.Close()
	d := newDecoder(f.Host)
	for {
		line, _, err := lines.read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if offset > 0 && lines.start == offset {
			continue
		}
		records, _ := d.line(trimmed(line, lines.start == 0))
		for i := range records {
			do(&records[i])
		}
	}
}
