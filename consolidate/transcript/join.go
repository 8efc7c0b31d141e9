package transcript

import (
	"bytes"
	"errors"
	"io"
	"slices"
)

// The model's messages come in parts, on lines that need not follow each other. A search that finds
// one of them needs those beside it: behind it they pass the sieve, as long as the message is open;
// before it is looked back, until a text of the model tells that the message begins here. So a search
// decodes what lies around its matches, and not all that the model ever said.

// errAlone ends a pass that cannot tell whether lines that were passed over belong to a message.
var errAlone = errors.New("a message of the model may be joined by lines that were passed over")

// A joiner lets a reader hear the messages of the model whole though a sieve holds back most lines.
type joiner struct {
	source  io.ReaderAt
	dreamt  bool // a dream was opened: which of the lines before are said cannot be told by themselves
	decoder decoder
	said    []part
	room    []byte // what was read again
}

// joins takes in that a text of the model was heard. held reports that it passed the sieve only to be
// joined to another message, and is none that anybody sought.
func (r *reader) joins(message string) (held bool, err error) {
	if r.join.dreamt {
		return false, errAlone
	}
	same := r.open != nil && message == r.message
	if !r.sieve.sought && !same {
		r.sieve.joining = false
		return true, r.flush()
	}
	if r.open == nil && !r.join.begins(r.lines, message) {
		return false, errAlone
	}
	r.sieve.joining = true
	return false, nil
}

// begins reports whether the message of a line is not the one that a text of the model before it
// belongs to.
func (j *joiner) begins(l *lineReader, message string) bool {
	begin := l.at - int(l.next-l.start)
	behind := l.start - int64(begin) // of the file, what the buffer does not hold
	if before, found := j.textBefore(l.buffer[:begin], behind == 0); found {
		return before != message
	}
	for _, size := range [...]int{l.block / 16, l.block} { // most often it stands near
		from := max(0, behind-int64(size))
		j.room = slices.Grow(j.room[:0], size)[:behind-from]
		if n, err := j.source.ReadAt(j.room, from); n < len(j.room) && err != nil {
			return false
		}
		lines := j.room
		if from > 0 {
			_, lines, _ = bytes.Cut(lines, []byte("\n")) // the first is cut
		}
		if before, found := j.textBefore(lines, from == 0); found || from == 0 {
			return before != message
		}
	}
	return false
}

// textBefore returns the message of the last text of the model in a block of lines. head: the block stands at the head
// of its file.
func (j *joiner) textBefore(block []byte, head bool) (message string, found bool) {
	for {
		i := lastText(block)
		if i < 0 {
			return "", false
		}
		begin, end := recordAround(block, i)
		if line := block[begin:end]; bytes.Contains(line, assistantBytes) {
			records, _ := j.decoder.line(trimmed(line, head && begin == 0))
			for k := range records {
				j.said, _ = records[k].parts(j.said[:0], ear{ours: map[string]bool{}, tools: deaf})
				for _, p := range j.said {
					if p.message != "" {
						message, found = p.message, true
					}
				}
			}
			if found {
				return message, true
			}
		}
		block = block[:begin]
	}
}

// lastText is bytes.LastIndex of textBytes, which looks at every byte by itself.
func lastText(block []byte) int {
	const step = 8 << 10
	for end := len(block); end > 0; end -= step {
		begin, last := max(0, end-step), -1
		next(block[begin:min(end+len(textBytes)-1, len(block))], findText, func(i int) bool {
			last = begin + i
			return false
		})
		if last >= 0 {
			return last
		}
	}
	return -1
}

// deaf is an ear for nothing of what tools were asked and answered.
func deaf(raw) hearing { return nothing }
