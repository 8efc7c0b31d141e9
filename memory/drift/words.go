package drift

import (
	"bytes"
	"os"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Bounds of the index of identifiers. A word costs some 20 bytes.
const (
	maxIndexedFiles = 50_000
	maxIndexedBytes = 64 << 20
	maxSourceFile   = 2 << 20 // a larger one is generated; its words count, and are not read
	maxIndexTime    = 2 * time.Second
	maxDeclared     = 200_000
	minWord         = 3 // letters of an identifier that is looked for
)

// words is the index of the identifiers of the source files.
type words struct {
	seen     map[uint64]uint8 // by hash: 64 bits, so that two of a million words meet once in 40 million projects
	declared []string         // names behind "func", "class", "def" …, in the order of the files
	limited  bool             // there is more than was read
}

// What is known of a word.
const (
	asWord     = 1 << iota // it occurs
	asDeclared             // behind a keyword that declares
	asFolded               // without its "-", "_" and capitals
)

// declaring are the keywords, of many languages, that a declared name follows.
var declaring = setOf("func fn def class struct interface enum trait type function const let var val module object record protocol impl namespace package mod macro_rules defmodule defp message service rpc typedef union extension actor data newtype")

func (w *words) has(name string) bool       { return w.seen[hash(name)]&asWord != 0 }
func (w *words) declares(name string) bool  { return w.seen[hash(name)]&asDeclared != 0 }
func (w *words) hasFolded(name string) bool { return w.seen[hash(fold(name))]&asFolded != 0 }

// indexed returns the index, which the first call makes.
func (p *Project) indexed() *words {
	if p.words != nil {
		return p.words
	}
	w := &words{seen: make(map[uint64]uint8, 1<<16)}
	p.words = w
	t := p.listed()
	w.limited = t.limited
	start, files, total := time.Now(), 0, 0
	buffer := make([]byte, maxSourceFile+1)
	var folder *os.Root // that the last file lay in: files come by folder, and a walk from the top costs more than a read
	in := ""
	defer func() {
		if folder != nil {
			folder.Close()
		}
	}()
	for i, file := range t.files {
		if t.sizes[i] < 0 || !holdsCode(file) {
			continue
		}
		if files++; files > maxIndexedFiles || total > maxIndexedBytes || time.Since(start) > maxIndexTime {
			w.limited = true
			break
		}
		if dir := path.Dir(file); folder == nil || dir != in {
			next, err := p.root.OpenRoot(dir)
			if err != nil {
				w.limited = true
				continue
			}
			if folder != nil {
				folder.Close()
			}
			folder, in = next, dir
		}
		data, err := readListed(folder, path.Base(file), maxSourceFile+1, buffer)
		if err != nil || len(data) > maxSourceFile {
			w.limited = true // what it declares is not known
			continue
		}
		total += len(data)
		if bytes.IndexByte(data[:min(len(data), 512)], 0) < 0 {
			w.read(data)
		}
	}
	return w
}

// holdsCode reports whether a file's identifiers are the project's: documents also speak of what is gone.
func holdsCode(file string) bool {
	base := strings.ToLower(path.Base(file))
	ext := path.Ext(base)
	if strings.HasSuffix(base, ".min.js") || strings.HasSuffix(base, ".min.css") {
		return false
	}
	return sourceExts[ext] || ext == "" && base != "license" && base != "readme" && base != "changelog" || codeLike[ext]
}

var codeLike = setOf(".yml .yaml .toml .gradle .cmake .mk .just .prisma .ipynb .rake .gemspec .bats .awk")

// read adds the words of a file.
func (w *words) read(data []byte) {
	keyword, receiver := false, false
	for i := 0; i < len(data); {
		c := data[i]
		if !inWord[c] {
			if keyword && c == '(' { // a receiver
				if n := bytes.IndexByte(data[i:min(len(data), i+128)], ')'); n > 0 {
					receiver = true
					w.read(data[i+1 : i+n])
					i += n
				}
			} else if keyword && c != ' ' && c != '\t' && c != '*' && c != '&' && c != '<' {
				keyword = false
			}
			i++
			continue
		}
		from, h, plain := i, uint64(offset64), true
		for i < len(data) && inWord[data[i]] {
			c := data[i]
			h = (h ^ uint64(c)) * prime64
			plain = plain && c >= 'a' && c <= 'z'
			i++
		}
		// A word with a dash is a flag or a name in a document: its parts are words, and it is one.
		to := i
		for i+1 < len(data) && data[i] == '-' && inWord[data[i+1]] {
			i++
			for i < len(data) && inWord[data[i]] {
				i++
			}
		}
		if i > to {
			w.addFolded(data[from:i])
			i = to
		}
		word := data[from:to]
		if len(word) < minWord {
			keyword = keyword && receiver || string(word) == "fn"
			continue
		}
		marks := uint8(asWord)
		if plain {
			marks |= asFolded
		} else {
			w.addFolded(word)
		}
		if keyword {
			marks |= asDeclared
		}
		old := w.seen[h]
		if old|marks != old {
			w.seen[h] = old | marks
			if marks&^old&asDeclared != 0 && len(w.declared) < maxDeclared && utf8.Valid(word) {
				w.declared = append(w.declared, string(word))
			}
		}
		keyword, receiver = declaring[string(word)], false
	}
}

// maxFolded bounds, in bytes, a word that is folded.
const maxFolded = 64

func (w *words) addFolded(word []byte) {
	if len(word) > maxFolded {
		return
	}
	h := uint64(offset64)
	for _, c := range word {
		if c != '-' && c != '_' {
			h = (h ^ uint64(lower(c))) * prime64
		}
	}
	w.seen[h] |= asFolded
}

// fold returns what the spellings of one name have in common: "dry-run", dry_run, dryRun.
func fold(name string) string {
	folded := make([]byte, 0, len(name))
	for i := range len(name) {
		if c := name[i]; c != '-' && c != '_' {
			folded = append(folded, lower(c))
		}
	}
	return string(folded)
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// The constants of FNV-1a.
const (
	offset64 = 14695981039346656037
	prime64  = 1099511628211
)

func hash(name string) uint64 {
	h := uint64(offset64)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * prime64
	}
	return h
}

// inWord holds the bytes of an identifier; letters of other scripts count whole.
var inWord = func() (set [256]bool) {
	for c := range set {
		set[c] = c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf
	}
	return set
}()

func sortedKeys(object map[string]any) []string {
	keys := make([]string, 0, len(object))
	for key := range object {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
