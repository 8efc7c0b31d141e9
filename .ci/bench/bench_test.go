package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

func TestGenerateIsTheSameForTheSameSeed(t *testing.T) {
	read := func(seed uint64) (names []string, all []byte) {
		projects := t.TempDir()
		c, err := generate(t.Context(), projects, seed, 4, 300<<10)
		if err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(c.folder, "*.jsonl"))
		if err != nil || len(files) != 4 {
			t.Fatal(files, err)
		}
		for _, path := range files {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			names, all = append(names, filepath.Base(path)), append(all, text...)
		}
		if int64(len(all)) != c.size || bytes.Count(all, []byte("\n")) != c.lines {
			t.Errorf("%d bytes, want %d; %d lines", len(all), c.size, c.lines)
		}
		return names, all
	}
	_, first := read(1)
	_, again := read(1)
	if !bytes.Equal(first, again) {
		t.Error("two transcripts of one seed differ")
	}
	if _, other := read(2); bytes.Equal(first, other) {
		t.Error("two seeds give the same transcripts")
	}
	for line := range bytes.Lines(first) {
		if !json.Valid(line) {
			t.Fatalf("no JSON: %s", line)
		}
	}
}

// What is planted is found.
func TestSearchFindsWhatWasPlanted(t *testing.T) {
	projects := t.TempDir()
	if _, err := generate(t.Context(), projects, 1, 5, 2<<20); err != nil {
		t.Fatal(err)
	}
	s := store(projects, t.TempDir())
	defer s.Close()
	for _, c := range classes() {
		r, err := s.Search(t.Context(), c.query(later))
		if err != nil {
			t.Fatal(err)
		}
		if c.text == rareWord && r.Matches != 5 {
			t.Errorf("%s: %d matches, want one a session", c.name, r.Matches)
		}
	}
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{"1KB": 1 << 10, "50MB": 50 << 20, "10gb": 10 << 30, "": 0, "5": 0, "-1MB": 0, "xMB": 0, "99999999999GB": 0} {
		if got, err := parseSize(text); got != want || (err == nil) != (want > 0) {
			t.Errorf("parseSize(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
}
