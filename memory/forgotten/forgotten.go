// Package forgotten finds the texts that a person wanted forgotten, without having them.
//
// Of each text a file keeps the length and a keyed hash. Whoever can read the file and guesses a text can confirm the
// guess; nothing else of it can be found out. A text is found whatever its case, white space and punctuation are, as
// whole words. A process sees what another has added within a moment. While the file cannot be read, what was read of
// it last holds; a process that could never read it finds nothing, and Damaged says so.
package forgotten

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"
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

// normalize returns the letters and digits of a text in lower case, with a space between words, and where each begins.
// The last place is the end of the text.
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

// MinCharacters is what IsTooShort asks for.
const MinCharacters = 6

// IsTooShort reports whether a text is too short to be forgotten everywhere. A character of a script without spaces
// counts as two.
func IsTooShort(text string) bool {
	n := 0
	for _, r := range strings.TrimSpace(text) {
		if n++; withoutSpaces(r) {
			n++
		}
	}
	return n < MinCharacters
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
