package transcript

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestHeadsAreMaskedBeforeTheyAreCut: of a credential that stands where first words or a title end, not
// even its beginning is shown.
func TestHeadsAreMaskedBeforeTheyAreCut(t *testing.T) {
	const key = "key-9fK3xQ7vL2mZ8pR4tW6yB1nC"
	text := strings.Repeat("w", maxFirst-15) + " " + key + " and more"
	s := store(t, talk(1).user(text), talk(2).user("x").add("custom-title", fields{"customTitle": text}))
	s.Mask = func(text string, from, to int) (string, int, int) {
		return strings.ReplaceAll(text, key, "[secret]"), from, to
	}
	sessions, _, err := s.Sessions(t.Context(), time.Time{})
	if err != nil || len(sessions) != 2 {
		t.Fatal(sessions, err)
	}
	for _, session := range sessions {
		if shown := session.First + session.Title; strings.Contains(shown, "key-") || !strings.Contains(shown, "[secret]") {
			t.Errorf("shown: %q", shown)
		}
	}
}

// TestHeadsAreKept: a new process knows what was read of unchanged files, and reads no more of them.
func TestHeadsAreKept(t *testing.T) {
	var all []*fixture
	for n := range unsavedHeads + 5 {
		all = append(all, talk(n+1).user(fmt.Sprint("first words ", n)).add("custom-title", fields{"customTitle": fmt.Sprint("title ", n)}))
	}
	all[3] = talk(4).reply("no person")
	all[4] = talk(5).user("Warmup")
	all[5] = talk(6).user(prompt)
	s := withDigests(t, store(t, all...))
	want, skipped, err := s.Sessions(t.Context(), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	wait(t, s)
	path := filepath.Join(s.options.Digests, headsFile)
	if stat, err := os.Stat(path); err != nil || stat.Mode().Perm()&0o077 != 0 {
		t.Fatal(stat, err)
	}
	again := func() *Store {
		s := withDigests(t, s)
		s.options.Digests = filepath.Dir(path)
		return s
	}
	// What is read shows itself: the words of the files change, their sizes and times do not.
	files, _, err := s.files(time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	text := map[string][]byte{}
	for _, f := range files {
		if text[f.path], err = os.ReadFile(f.path); err != nil {
			t.Fatal(err)
		}
		changed := bytes.ReplaceAll(bytes.ReplaceAll(text[f.path], []byte("first words"), []byte("other words")), []byte("title"), []byte("TITLE"))
		if err := os.WriteFile(f.path, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(f.path, f.modTime, f.modTime); err != nil {
			t.Fatal(err)
		}
	}
	got, met, err := again().Sessions(t.Context(), time.Time{})
	if err != nil || !reflect.DeepEqual(got, want) || !reflect.DeepEqual(met, skipped) {
		t.Errorf("%+v, %v, %v\nwant %+v, %v", got[:2], met, err, want[:2], skipped)
	}
	// A damaged file is not believed, and written again.
	heads, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, damaged := range map[string][]byte{
		"empty": nil, "torn": heads[:len(heads)/2], "other": []byte("x"), "flipped": append(bytes.Clone(heads[:len(heads)-1]), heads[len(heads)-1]^1),
	} {
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		s := again()
		if got, _, err := s.Sessions(t.Context(), time.Time{}); err != nil || got[0].First[:5] != "other" {
			t.Errorf("%s: %q, %v: want what is in the files", name, got[0].First, err)
		}
		wait(t, s)
		if after, err := os.ReadFile(path); err != nil || len(after) != len(heads) {
			t.Errorf("%s: %d bytes were written, %v; want %d", name, len(after), err, len(heads))
		}
	}
}

// Words of other projects' sessions are not kept.
func TestHeadsOfOthersAreNotKept(t *testing.T) {
	projects := t.TempDir()
	for n := range unsavedHeads + 5 {
		f := talk(n + 1)
		f.cwd = "/home/dev/light/house" // another path, one slug
		f.user("their words").add("custom-title", fields{"customTitle": "their title"})
		put(t, projects, slug+"/"+id(n+1)+".jsonl", f.text(), 1)
	}
	s := withDigests(t, Open(Options{Projects: projects, Roots: []string{root}}))
	if n, err := s.Count(t.Context(), time.Time{}, 0); n != 0 || err != nil {
		t.Fatal(n, err)
	}
	wait(t, s)
	heads, err := os.ReadFile(filepath.Join(s.options.Digests, headsFile))
	if err != nil || bytes.Contains(heads, []byte("their")) {
		t.Errorf("%q, %v", heads, err)
	}
	again := withDigests(t, s)
	again.options.Digests = s.options.Digests
	if _, skipped, err := again.Sessions(t.Context(), time.Time{}); skipped[OtherProject] != unsavedHeads+5 || err != nil {
		t.Errorf("skipped %v, %v", skipped, err)
	}
}

// FuzzHeads: the file may hold anything.
func FuzzHeads(f *testing.F) {
	s := withDigests(f, store(f, talk(1).user("x"), talk(2).user("y").add("custom-title", fields{"customTitle": "z"})))
	if _, _, err := s.Sessions(f.Context(), time.Time{}); err != nil {
		f.Fatal(err)
	}
	good := s.encodeHeads()
	f.Add(good)
	for i := range len(good) {
		f.Add(good[:i])
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		heads, err := decodeHeads(text)
		if err != nil {
			heads, err = decodeHeads(resummed(text)) // what a checksum does not tell
		}
		if err != nil {
			return
		}
		s := Open(Options{})
		s.heads = heads
		again, err := decodeHeads(s.encodeHeads())
		if err != nil || len(again) != len(heads) {
			t.Errorf("%d heads, %v; want %d", len(again), err, len(heads))
		}
	})
}

// resummed is a file of heads with the checksum that it ought to have.
func resummed(text []byte) []byte {
	if len(text) < len(headsMagic)+4 {
		return text
	}
	text = bytes.Clone(text)
	binary.LittleEndian.PutUint32(text[len(headsMagic):], crc32.Checksum(text[len(headsMagic)+4:], castagnoli))
	return text
}

const allPlain = noDreams | noASCIIEscapes | noEscapes | noOwnCalls | noBroken

// unlike are sessions of which the first five are each in another way other than plain, and what they are then.
func unlike(of int) (all []*fixture, want map[string]plainness) {
	for n := range of {
		all = append(all, talk(n+1).user("begin").says("m", use("t", "Bash", fields{"command": `ls \users`})))
	}
	all[0].user(DreamMarker + "> now")
	all[1].raw(`{"type":"user","message":{"content":"\u006camp"}}`)
	all[2].says("m", use("t", "x__read_memory", nil))
	all[3].raw(`{"type":"user","message":{"content":"caf\u00e9"}}`)
	all[4].raw(`{"type":"user","mess`).user("awake")
	return all, map[string]plainness{
		id(1): allPlain &^ noDreams,
		id(2): allPlain &^ (noASCIIEscapes | noEscapes),
		id(3): allPlain &^ noOwnCalls,
		id(4): allPlain &^ noEscapes,
		id(5): allPlain &^ noBroken,
	}
}

// arePlain checks what is known of files, of which those that are not told of are plain: of so much of it.
func arePlain(t *testing.T, s *Store, files []file, others map[string]plainness, of plainness) {
	t.Helper()
	for _, f := range files {
		if got, want := s.plain(f), cmp.Or(others[f.id], allPlain)&of; got != want {
			t.Errorf("%s: %05b, want %05b", f.id, got, want)
		}
	}
}

// TestDigestsTellHowPlainTranscriptsAre: who makes a digest reads every line, so that no search has to look for that,
// also when the transcript grew.
func TestDigestsTellHowPlainTranscriptsAre(t *testing.T) {
	all, want := unlike(6)
	s := withDigests(t, store(t, all...))
	for range 2 {
		if _, err := s.Digest(t.Context()); err != nil {
			t.Fatal(err)
		}
		files, _, err := s.files(time.Time{})
		if err != nil || len(files) != 6 {
			t.Fatal(files, err)
		}
		arePlain(t, s, files, want, witnessed)
		for _, f := range files {
			text, err := os.ReadFile(f.path)
			if err != nil {
				t.Fatal(err)
			}
			overwrite(t, f.path, string(text)+talk(9).user("more").text())
		}
	}
}

// TestDigestsKeepHowPlainTranscriptsAre: a new process learns it from a digest that another left, be its heads saved or
// not.
func TestDigestsKeepHowPlainTranscriptsAre(t *testing.T) {
	all, want := unlike(6)
	s := withDigests(t, store(t, all...))
	if _, err := s.Digest(t.Context()); err != nil {
		t.Fatal(err)
	}
	again := Open(s.options)
	t.Cleanup(again.Close)
	again.Classify, again.Classifier = s.Classify, s.Classifier
	if _, err := again.Search(t.Context(), Query{Pattern: "begin"}); err != nil {
		t.Fatal(err)
	}
	files, _, err := again.files(time.Time{})
	if err != nil || len(files) != 6 {
		t.Fatal(files, err)
	}
	arePlain(t, again, files, want, witnessed)
}

// TestPlainnessIsKept: what a search saw that a transcript is without, a new process knows, as long as
// the file stays as it was.
func TestPlainnessIsKept(t *testing.T) {
	all, others := unlike(unsavedHeads + 5)
	others[id(1)] &^= noOwnCalls // what follows the mark was not looked through for those
	s := withDigests(t, store(t, all...))
	for _, text := range []string{"command", "niemals für"} { // where nothing is found, nobody asks whether it was said
		if _, err := s.Search(t.Context(), Query{Pattern: text, Speakers: []Speaker{Tool}}); err != nil {
			t.Fatal(err)
		}
	}
	s.mu.Lock()
	s.unsaved = unsavedHeads
	s.mu.Unlock()
	s.saveHeads()
	folder := s.options.Digests
	wait(t, s)
	s = withDigests(t, s)
	s.options.Digests = folder
	files, _, err := s.files(time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	arePlain(t, s, files, others, allPlain)
	for _, f := range files {
		if f.size++; s.plain(f) != 0 {
			t.Errorf("%s has grown and is still known", f.id)
		}
	}
}
