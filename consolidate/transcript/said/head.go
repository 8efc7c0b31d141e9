package said

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// headSize is what is read of every session, at its head and its end: as much as Claude's Agent SDK reads
// (LITE_READ_BUF_SIZE).
const headSize = 64 << 10

// maxHead bounds how far a head is read for what the first headSize bytes do not say.
const maxHead = 64 << 20

// maxCWDs bounds the working directories kept of one head; 25 were seen in a session.
const maxCWDs = 64

// warmUp is all that is said in the sessions by which Claude Code warmed its caches (2.0.65 to 2.1.1).
const warmUp = "Warmup"

// A Head is what the beginning of a transcript says about the session.
type Head struct {
	Reason Reason // why it is not a session of anybody; empty when it is one
	CWDs   []string
	Branch string
	First  string    // the first words that a person typed
	Last   time.Time // the latest time in the head
}

// ReadHead reads as far as it must to know a working directory and whether a person typed anything
// but a dream: headSize as a rule, the whole transcript of a background dream.
func ReadHead(f File) (h Head, err error) {
	var (
		begun, spoke             bool // a record was read; somebody said something
		typed, dreamed, warmedUp bool // a person typed; a dream was opened; "Warmup" was all that was typed
		prompted                 bool // by a program
		said                     []part
	)
	if cwd := f.beside(); cwd != "" {
		h.CWDs = append(h.CWDs, cwd)
	}
	var of calls
	err = f.records(0, maxHead, func(r *Record, next int64) (more bool) {
		h.note(r)
		if !begun && r.Sidechain.IsTrue() {
			h.Reason = Subagent
			return false
		}
		begun = begun || !r.Type.Empty()
		var marks event
		said, marks = r.parts(said[:0], &of, !spoke)
		dreamed = dreamed || marks == dreamBegun
		prompted = prompted || marks == automated
		for _, p := range said {
			spoke = spoke || p.text != ""
			switch {
			case !p.typed() && p.speaker != Others || typed:
			case p.text == warmUp:
				warmedUp = true
			default:
				typed, h.First = true, p.text
			}
		}
		return next < headSize || len(h.CWDs) == 0 || !typed
	})
	switch {
	case err != nil || typed || h.Reason != "":
	case dreamed:
		h.Reason = Dream
	case warmedUp:
		h.Reason = WarmUp
	case prompted:
		h.Reason = Automated
	case !spoke:
		h.Reason = Ghost
	case f.Host() != ClaudeCode: // jobs and heartbeats, by which other hosts talk to themselves
		h.Reason = Untyped
	}
	return h, err
}

// BeganIn returns the working directory in which a session of Claude Code began; "" if its head does not say.
func BeganIn(path string) string {
	h, err := ReadHead(File{Path: path})
	if err != nil || len(h.CWDs) == 0 {
		return ""
	}
	return h.CWDs[0]
}

// FormVersion returns the version of the host, or of its form, that one of the first records of a session has; "" if
// none has.
func FormVersion(f File) string {
	path := []string{"version"} // Claude Code's
	if f.Format != nil {
		path = f.Format.Version
	}
	opened, err := OpenFile(f.Path)
	if err != nil || len(path) == 0 {
		return ""
	}
	defer opened.Close()
	head, _ := io.ReadAll(io.LimitReader(opened, headSize))
	whole := Raw(head) // a document on several lines
	for line := range bytes.Lines(head) {
		v := Raw(bytes.TrimSpace(line))
		if !v.IsWhole() {
			v, whole = whole, nil
		}
		for _, name := range path {
			v = v.Field(name)
		}
		if version := strings.Trim(string(v), `"`); version != "" && len(version) <= maxVersion {
			return Visible(version)
		}
	}
	return ""
}

// maxVersion bounds a version; a longer one is ignored.
const maxVersion = 40

// note adds what a record says about the session.
func (h *Head) note(r *Record) {
	for _, v := range []Raw{r.CWD, r.Worktree.Field("originalCwd")} {
		if cwd := name(v); cwd != "" && len(h.CWDs) < maxCWDs && !slices.Contains(h.CWDs, cwd) {
			h.CWDs = append(h.CWDs, cwd)
		}
	}
	if h.Branch == "" {
		h.Branch = name(r.Branch)
	}
	if t := r.time(); t.After(h.Last) {
		h.Last = t
	}
}

// LastTime returns the latest time at the end of a transcript; zero if it cannot be read.
func LastTime(f File) time.Time {
	var h Head
	_ = f.tail(headSize, h.note)
	return h.Last
}

// tail calls do with each record in the last most bytes of a session. It skips the line that begins before them.
func (f File) tail(most int64, do func(*Record)) error {
	return f.records(-most, most, func(r *Record, _ int64) bool {
		do(r)
		return true
	})
}

// records calls do with each record in the first most bytes from an offset, and with the offset after its line, until
// do returns false. A negative offset is counted from the end; then what is before the first newline is left out.
func (f File) records(offset, most int64, do func(r *Record, next int64) (more bool)) error {
	source, err := f.Open()
	if err != nil {
		return err
	}
	defer source.Close()
	cut := -offset > 0 && -offset < source.Length
	if offset < 0 {
		offset = max(0, source.Length+offset)
	}
	source.Length = min(source.Length, offset+most) // one line may be all of a huge file
	lines := source.Lines(context.Background(), 1, offset, new(atomic.Int64))
	defer lines.Close()
	d := newDecoder(f.Format)
	if d.HostState != nil {
		d.HostState.CWD = f.beside()
	}
	for {
		records, _, _, _, err := lines.decode(&d)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if cut && lines.start == offset {
			continue
		}
		for i := range records {
			if !do(&records[i], lines.next) {
				return nil
			}
		}
	}
}
