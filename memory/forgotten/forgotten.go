// Package forgotten finds the texts that a person wanted forgotten, without having them.
//
// Of each text a file keeps the length and a keyed hash. Whoever can read the file and guesses a text can confirm the guess;
// nothing else of it can be found out. A text is found whatever its case, white space and punctuation are, as whole words. A
// process sees what another has added within a moment. While the file cannot be read, what was read of it last holds; a process
// that could never read it finds nothing, and Damaged says so.
package forgotten

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// Mark replaces a text that was forgotten.
const Mark = "(forgotten)"

// Bounds of a text, in letters, digits and the spaces between words.
const (
	minRunes = 2
	MaxRunes = 20_000
)

// maxList bounds the file of a list, in bytes. It has room for 100,000 texts.
const maxList = 16 << 20

// A List is the texts that were forgotten.
type List struct {
	Key   []byte `json:"key"`
	Texts []Text `json:"texts"`
}

// A Text is one of them.
type Text struct {
	At     time.Time `json:"at"`
	Runes  int       `json:"runes"`
	Filter uint16    `json:"filter"` // of the window's polynomial: few windows are hashed
	Hash   []byte    `json:"hash"`
	Open   string    `json:"open,omitempty"`   // the memory from which it is not removed yet
	Unread bool      `json:"unread,omitempty"` // it is removed from there, but for files that could not be read
}

const keySize = 32

// New returns an empty list with a random key.
func New() *List {
	l := &List{Key: make([]byte, keySize)}
	rand.Read(l.Key)
	return l
}

// Add adds a text. It reports false for one that is too short or too long.
func (l *List) Add(text, open string, at time.Time) bool {
	window, _ := normalize(text)
	window = slices.DeleteFunc(window, func(r rune) bool { return r < 0 })
	if len(window) > 0 && window[len(window)-1] == ' ' {
		window = window[:len(window)-1]
	}
	if len(window) < minRunes || len(window) > MaxRunes {
		return false
	}
	base, sum := l.base(), uint64(0)
	for _, r := range window {
		sum = sum*base + uint64(r)
	}
	l.Texts = append(l.Texts, Text{At: at, Runes: len(window), Filter: uint16(sum >> 48), Hash: l.hash(window), Open: open})
	return true
}

func (l *List) base() uint64 {
	return binary.LittleEndian.Uint64(append(l.Key, make([]byte, 8)...)) | 1
}

func (l *List) hash(window []rune) []byte {
	h := hmac.New(sha256.New, l.Key)
	h.Write([]byte(string(window)))
	return h.Sum(nil)[:16]
}

// normalize returns the letters and digits of a text in lower case, with a space between words, and where each begins. The last
// place is the end of the text.
func normalize(text string) (runes []rune, places []int) {
	runes, places = make([]rune, 0, len(text)), make([]int, 0, len(text)+1)
	for at, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
			runes, places = append(runes, unicode.ToLower(r)), append(places, at)
		} else if len(runes) > 0 && runes[len(runes)-1] != ' ' {
			runes, places = append(runes, ' '), append(places, at)
		}
	}
	return runes, append(places, len(text))
}

// Entries returns the texts as a person counts them: one that is forgotten in several memories is one.
func (l *List) Entries() (entries []Text) {
	for _, t := range l.Texts {
		if !slices.ContainsFunc(entries, func(e Text) bool { return bytes.Equal(e.Hash, t.Hash) }) {
			entries = append(entries, t)
		}
	}
	return entries
}

// Drop removes the entry of that number, from 1. It reports false if there is none.
func (l *List) Drop(number int) bool {
	entries := l.Entries()
	if number < 1 || number > len(entries) {
		return false
	}
	l.Texts = slices.DeleteFunc(l.Texts, func(t Text) bool { return bytes.Equal(t.Hash, entries[number-1].Hash) })
	return true
}

// A Span is a forgotten text within a text, in bytes.
type Span struct{ From, To int }

// Spans returns the forgotten texts within a text, in order. Names of Markdown files do not count: links need them; nor do the
// keys of frontmatter and the values that are not texts.
func (l *List) Spans(text string) (spans []Span) {
	if l == nil || len(l.Texts) == 0 {
		return nil
	}
	runes, places := normalize(text)
	base := l.base()
	for _, t := range l.Texts {
		top := uint64(1) // base to the power of the window's length
		for range t.Runes {
			top *= base
		}
		sum := uint64(0)
		for end, r := range runes {
			sum = sum*base + uint64(r)
			from := end + 1 - t.Runes
			if from > 0 {
				sum -= top * uint64(runes[from-1])
			}
			if from < 0 || uint16(sum>>48) != t.Filter || inWord(runes, from) || inWord(runes, end+1) || !hmac.Equal(l.hash(runes[from:end+1]), t.Hash) {
				continue
			}
			_, size := utf8.DecodeRuneInString(text[places[end]:])
			if s := (Span{places[from], places[end] + size}); !inFileName(text, s) && !inHead(text, s) {
				spans = append(spans, s)
			}
		}
	}
	slices.SortFunc(spans, func(a, b Span) int { return a.From - b.From })
	apart := spans[:0]
	for _, s := range spans {
		if last := len(apart) - 1; last >= 0 && s.From < apart[last].To {
			apart[last].To = max(apart[last].To, s.To)
		} else {
			apart = append(apart, s)
		}
	}
	return apart
}

// withoutSpaces reports whether a character is of a script that puts no spaces between words.
func withoutSpaces(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// inWord reports whether runes[at] continues a word. In scripts without spaces no character does.
func inWord(runes []rune, at int) bool {
	continues := func(r rune) bool { return r != ' ' && !withoutSpaces(r) }
	return at > 0 && at < len(runes) && continues(runes[at-1]) && continues(runes[at])
}

// MinCharacters is what IsTooShort asks for.
const MinCharacters = 6

// IsTooShort reports whether a text is too short to be forgotten everywhere. A character of a script without spaces counts as two.
func IsTooShort(text string) bool {
	n := 0
	for _, r := range strings.TrimSpace(text) {
		if n++; withoutSpaces(r) {
			n++
		}
	}
	return n < MinCharacters
}

func inFileName(text string, s Span) bool {
	const ends = " \t\r\n()[]<>{}\"'`|,;"
	word := text[strings.LastIndexAny(text[:s.From], ends)+1 : s.From]
	rest := text[s.From:]
	if i := strings.IndexAny(rest, ends); i >= 0 {
		rest = rest[:i]
	}
	return strings.Contains(strings.ToLower(word+rest), ".md")
}

// heads are the keys of frontmatter that are kept, and whether the value is a text.
var heads = map[string]bool{"name": true, "description": true, "metadata": true, "type": false, "sources": false, "created": false,
	"modified": false, "node_type": false, "originSessionId": false, "originSessionIds": false}

// inHead reports whether a span begins in a key of frontmatter, or in a value that is not a text.
func inHead(text string, s Span) bool {
	if end := strings.Index(text, "\n---"); !strings.HasPrefix(text, "---\n") || s.From > end {
		return false
	}
	start := strings.LastIndexByte(text[:s.From], '\n') + 1
	key, _, ok := strings.Cut(text[start:], ":")
	isText, known := heads[strings.TrimSpace(key)]
	return ok && known && (!isText || s.From < start+len(key))
}

// Redact replaces the forgotten texts within a text by Mark. Every line keeps its number.
func (l *List) Redact(text string) string {
	spans := l.Spans(text)
	if spans == nil {
		return text
	}
	var b strings.Builder
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.From] + Mark + strings.Repeat("\n", strings.Count(text[s.From:s.To], "\n")))
		at = s.To
	}
	return b.String() + text[at:]
}

// Read reads a list. If there is none, it is an error that is fs.ErrNotExist.
func Read(path string) (*List, error) {
	if stat, err := os.Stat(path); err == nil && (!stat.Mode().IsRegular() || stat.Size() > maxList) {
		return nil, fmt.Errorf("%q is damaged: it is not a file of at most %d bytes", path, maxList)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	l := new(List)
	if err := json.Unmarshal(data, l); err != nil {
		return nil, fmt.Errorf("%q is damaged: %w", path, err)
	}
	if len(l.Key) != keySize {
		return nil, fmt.Errorf("%q is damaged: it has no key", path)
	}
	if slices.ContainsFunc(l.Texts, func(t Text) bool { return t.Runes < minRunes || t.Runes > MaxRunes }) {
		return nil, fmt.Errorf("%q holds a length that no forgotten text has", path)
	}
	return l, nil
}

// current is the list of this process.
var current struct {
	sync.Mutex
	path    string
	list    *List
	looked  time.Time
	changed time.Time
}

// Use makes the list in a file that of this process. The file need not exist.
func Use(path string) {
	current.Lock()
	defer current.Unlock()
	current.path, current.looked, current.changed, current.list = path, time.Time{}, time.Time{}, nil
}

// moment is how long another process may show a text that was forgotten.
const moment = 20 * time.Millisecond

// Current returns the list of this process as it is now; nil if nothing was forgotten.
func Current() *List {
	current.Lock()
	defer current.Unlock()
	if current.path == "" || time.Since(current.looked) < moment {
		return current.list
	}
	current.looked = time.Now()
	stat, err := os.Stat(current.path)
	if err == nil && !stat.ModTime().Equal(current.changed) {
		if l, err := Read(current.path); err == nil {
			current.list, current.changed = l, stat.ModTime()
		}
	}
	return current.list
}

// Damaged returns why the list of this process cannot be read; nil if it can, or if there is none.
func Damaged() error {
	current.Lock()
	path := current.path
	current.Unlock()
	if path == "" {
		return nil
	}
	if _, err := Read(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Version returns a number that differs for other texts. What was derived from sessions with another one is to be derived again.
func Version() uint64 {
	h := fnv.New64a()
	if l := Current(); l != nil {
		for _, t := range l.Texts {
			h.Write(t.Hash)
		}
	}
	return h.Sum64()
}
