package endtoend

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"

	"dream-mcp/consolidate/transcript"
)

var (
	earlier = flag.String("earlier", "", "an earlier version of the program, which makes the home that the script upgrade takes over")
	update  = flag.Bool("update", false, "with -earlier: write the home that it made to testdata/upgrade/home.txtar")
)

// The ends of names of files in home.txtar that are not stored as they are: without the newline at their end, or in base64.
const (
	noNewline = "|no newline"
	inBase64  = "|base64"
)

// homeCommand puts a home in place as an earlier version left it. With -earlier that version has just made it, and
// homeCommand stores it if -update asks for that.
func homeCommand(ts *testscript.TestScript, neg bool, args []string) {
	stored := filepath.Join(root, "testdata", "upgrade", "home.txtar")
	project := ts.Getenv("PROJECT")
	places := []string{stateKey(ts.Getenv("MEMORY")), "$KEY", transcript.Slug(project), "$SLUG", ts.Getenv("WORK"), "$WORK"}
	if *earlier != "" {
		if *update {
			ts.Check(os.MkdirAll(filepath.Dir(stored), 0o755))
			ts.Check(os.WriteFile(stored, packHome(ts, strings.NewReplacer(places...)), 0o644))
		}
		return
	}
	archive, err := txtar.ParseFile(stored)
	ts.Check(err)
	for i := 0; i < len(places); i += 2 {
		places[i], places[i+1] = places[i+1], places[i]
	}
	here := strings.NewReplacer(places...)
	made, err := time.Parse(time.RFC3339, strings.TrimSpace(string(archive.Comment)))
	ts.Check(err)
	age := time.Since(made)
	ts.Check(os.RemoveAll(ts.Getenv("HOME")))
	for _, f := range archive.Files {
		name, data := laterIDs(here.Replace(f.Name), age), f.Data
		if short, ok := strings.CutSuffix(name, inBase64); ok {
			name = short
			data, err = base64.StdEncoding.DecodeString(string(bytes.TrimSpace(data)))
			ts.Check(err)
		}
		data = []byte(here.Replace(string(data)))
		if short, ok := strings.CutSuffix(name, noNewline); ok {
			name, data = short, bytes.TrimSuffix(data, []byte("\n"))
		}
		if ext := filepath.Ext(name); strings.HasPrefix(name, ".local/") && (ext == ".json" || ext == ".jsonl") && !strings.Contains(name, "/words/") {
			data = []byte(later(laterIDs(string(data), age), age))
		}
		to := filepath.Join(ts.Getenv("HOME"), filepath.FromSlash(name))
		ts.Check(os.MkdirAll(filepath.Dir(to), 0o700))
		ts.Check(os.WriteFile(to, data, 0o600))
	}
}

// packHome returns the home as an archive, with other names for what depends on this machine.
func packHome(ts *testscript.TestScript, places *strings.Replacer) []byte {
	archive := &txtar.Archive{Comment: []byte(time.Now().UTC().Format(time.RFC3339) + "\n")}
	home := ts.Getenv("HOME")
	ts.Check(filepath.WalkDir(home, func(p string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(p)
		rel, _ := filepath.Rel(home, p)
		name := places.Replace(filepath.ToSlash(rel))
		if filepath.Ext(name) != ".digest" { // it has its length in it
			data = []byte(places.Replace(string(data)))
		}
		switch {
		case !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 || bytes.HasPrefix(data, []byte("-- ")) || bytes.Contains(data, []byte("\n-- ")):
			name, data = name+inBase64, []byte(base64.StdEncoding.EncodeToString(data)+"\n")
		case !bytes.HasSuffix(data, []byte("\n")):
			name, data = name+noNewline, append(data, '\n')
		}
		archive.Files = append(archive.Files, txtar.File{Name: name, Data: data})
		return err
	}))
	return txtar.Format(archive)
}

var (
	stamps = regexp.MustCompile(`\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
	ids    = regexp.MustCompile(`\b20\d{6}-\d{6}\b`)
)

// later moves the times in text. What an earlier version left expires, and its home must not age with the repository.
func later(text string, by time.Duration) string {
	return stamps.ReplaceAllStringFunc(text, func(s string) string {
		at, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			return s
		}
		return at.Add(by).Format(time.RFC3339Nano)
	})
}

// laterIDs moves the times in IDs of dreams.
func laterIDs(text string, by time.Duration) string {
	const layout = "20060102-150405"
	return ids.ReplaceAllStringFunc(text, func(s string) string {
		at, err := time.Parse(layout, s)
		if err != nil {
			return s
		}
		return at.Add(by).Format(layout)
	})
}

// stateKey is the name of the folder in which the earlier version keeps what belongs to a memory directory.
func stateKey(memory string) string {
	memory, _ = filepath.EvalSymlinks(memory)
	name := filepath.Base(filepath.Dir(memory))
	sum := sha256.Sum256([]byte(memory))
	return strings.Trim(name[max(0, len(name)-40):], "-") + "-" + hex.EncodeToString(sum[:6])
}
