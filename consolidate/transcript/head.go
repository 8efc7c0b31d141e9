package transcript

import (
	"bytes"
	"io"
	"slices"
	"sync"
	"time"
)

// headSize is what is read of every session, at its head and its end (FACTS 4.2).
const headSize = 64 << 10

// headBlock is read of it at once: the judgement of most sessions needs no more.
const headBlock = 16 << 10

// maxHead bounds how far a head is read for what the first headSize bytes do not say.
const maxHead = 64 << 20

// maxCWDs bounds the working directories kept of one head; 25 were seen in a session (CENSUS 2).
const maxCWDs = 64

// warmUp is all that is said in the sessions by which old hosts warmed their caches (CENSUS 2).
const warmUp = "Warmup"

// A head is what the beginning of a transcript says about the session.
type head struct {
	reason Reason // why it is not a session of anybody; empty when it is one
	cwds   []string
	branch string
	title  string
	first  string    // the first words that a person typed
	last   time.Time // the latest time in the head
}

var resultBytes = []byte(`"tool_result"`)

// readHead reads as far as it must to know a working directory and whether a person typed anything
// but a dream: headSize as a rule, the whole transcript of a background dream.
func readHead(source io.Reader, host Host) (head, error) {
	var (
		h                       head
		begun, spoke            bool // a record was read; somebody said something
		typed, dreamt, warmedUp bool // a person typed; a dream was opened; "Warmup" was all that was typed
		prompted                bool // by a program
	)
	lines := headReaders.Get().(*lineReader)
	defer lines.putBack()
	lines.reset(io.LimitReader(source, maxHead), 1, 0) // one line may be all of a huge file
	lineRecords := newDecoder(host)
	var said []part
	ours := own{}
	for lines.next < headSize || lines.next < maxHead && (len(h.cwds) == 0 || !typed) {
		line, _, err := lines.read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return head{}, err
		}
		line = trimmed(line, lines.start == 0)
		if len(line) == 0 || lines.start >= headSize && spoke && len(h.cwds) > 0 && bytes.Contains(line, resultBytes) {
			continue
		}
		records, _ := lineRecords.line(line)
		for i := range records {
			r := &records[i]
			h.note(r)
			if !begun && r.Sidechain.isTrue() {
				return head{reason: Subagent, cwds: h.cwds}, nil
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
					typed, h.first = true, p.text
				}
			}
		}
	}
	switch {
	case typed:
	case dreamt:
		h.reason = Dream
	case warmedUp:
		h.reason = WarmUp
	case prompted:
		h.reason = Automated
	case !spoke:
		h.reason = Ghost
	case forms[host] != nil: // jobs and heartbeats, by which other hosts talk to themselves
		h.reason = Untyped
	}
	return h, nil
}

// note takes in what a record says about the session.
func (h *head) note(r *record) {
	for _, v := range []raw{r.CWD, r.Worktree.Original} {
		if len(v) > maxName {
			continue
		}
		if cwd := v.text(); cwd != "" && len(h.cwds) < maxCWDs && !slices.Contains(h.cwds, cwd) {
			h.cwds = append(h.cwds, cwd)
		}
	}
	if h.branch == "" && len(r.Branch) <= maxName {
		h.branch = r.Branch.text()
	}
	switch {
	case !r.CustomTitle.empty():
		h.title = r.CustomTitle.text()
	case !r.AITitle.empty():
		h.title = r.AITitle.text()
	}
	if t := r.time(); t.After(h.last) {
		h.last = t
	}
}

// readTail returns the title and the latest time at the end of a transcript; neither where that cannot be read.
func readTail(f file) (h head) {
	source, err := f.open()
	if err != nil {
		return h
	}
	defer source.Close()
	if source.length > headSize {
		if _, err := source.Seek(-headSize, io.SeekEnd); err != nil {
			return h
		}
	}
	buffer := tails.Get().(*[headSize]byte)
	defer tails.Put(buffer)
	n, _ := io.ReadFull(source, buffer[:])
	end := buffer[:n]
	if source.length > headSize {
		_, end, _ = bytes.Cut(end, []byte("\n")) // the first line is cut
	}
	lineRecords := newDecoder(f.host)
	for line := range bytes.Lines(end) {
		records, _ := lineRecords.line(bytes.Trim(line, blank+"\n"))
		for i := range records {
			h.note(&records[i])
		}
	}
	return h
}

// tails are the buffers of readTail.
var tails = sync.Pool{New: func() any { return new([headSize]byte) }}
