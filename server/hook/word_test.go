package hook

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestWord(t *testing.T) {
	at := func(ago time.Duration) string { return now.Add(-ago).Format(time.RFC3339Nano) }
	in := func(name, format string, args ...any) func(*testing.T, Known) {
		return func(t *testing.T, k Known) {
			path := filepath.Join(k.StateDir, name)
			os.MkdirAll(filepath.Dir(path), 0o700)
			put(t, path, fmt.Sprintf(format, args...), 0)
		}
	}
	lock := func(record string) func(*testing.T, Known) {
		return func(t *testing.T, k Known) { put(t, filepath.Join(k.MemoryDir, ".dream.lock"), "\x00"+record+"\n", 0) }
	}
	stamp := func(ago time.Duration) func(*testing.T, Known) {
		return func(t *testing.T, k Known) { put(t, filepath.Join(k.MemoryDir, ".consolidate-lock"), "", ago) }
	}
	entry := func(ago time.Duration, kind, outcome, more string) string {
		return fmt.Sprintf(`{"time":%q,"kind":%q,"outcome":%q,"id":"1"%s}`, at(ago), kind, outcome, more) + "\n"
	}
	journal := func(lines ...string) func(*testing.T, Known) {
		return in("journal.jsonl", "%s", strings.Join(lines, ""))
	}
	scan := func(since time.Duration, found int) func(*testing.T, Known) {
		return in(Due, `{"time":%q,"since":{"exists":true,"time":%q},"found":%d}`, at(0), at(since), found)
	}
	type files []func(*testing.T, Known)
	open := lock(`{"dream":"20261120-1-a","kind":"dream"}`)
	three := entry(2*time.Hour, "dream", "committed", `,"files":["a.md","b.md","c.md","MEMORY.md"]`)
	for name, row := range map[string]struct {
		off   bool
		files files
		want  string
	}{
		"nothing is known":         {want: ""},
		"dreaming, no more known":  {files: files{open}, want: "dreaming"},
		"dreaming":                 {files: files{open, in("dreams/20261120-1-a/dream.json", `{"phase":"orienting","last_call":%q}`, at(time.Minute))}, want: "dreaming (orienting)"},
		"dreaming, though off":     {off: true, files: files{open}, want: "dreaming"},
		"staged":                   {files: files{open, in("dreams/20261120-1-a/dream.json", `{"phase":"gathering","last_call":%q}`, at(0)), in("dreams/20261120-1-a/manifest.json", `{"changes":[{},{},{}]}`)}, want: "dreaming (gathering, 3 staged)"},
		"expired":                  {files: files{open, in("dreams/20261120-1-a/dream.json", `{"phase":"gathering","last_call":%q}`, at(2*time.Hour))}, want: ""},
		"a hostile phase":          {files: files{open, in("dreams/20261120-1-a/dream.json", `{"phase":"\u001b[2J","last_call":%q}`, at(0))}, want: "dreaming"},
		"a hostile dream":          {files: files{lock(`{"dream":"../../x","kind":"dream"}`)}, want: ""},
		"a single write":           {files: files{lock(`{"dream":"20261120-1-a","kind":"write"}`)}, want: ""},
		"a torn record":            {files: files{lock(`{"dream":"20261120-1-a","ki`)}, want: ""},
		"dreamt":                   {files: files{journal(entry(9*time.Hour, "dream", "aborted", ""), three), stamp(2 * time.Hour)}, want: "dreamed 2h ago: 3 improved"},
		"dreamt, then a write":     {files: files{journal(three, entry(time.Hour, "write", "committed", "")), stamp(2 * time.Hour)}, want: "dreamed 2h ago: 3 improved"},
		"dreamt, off":              {off: true, files: files{journal(three), stamp(2 * time.Hour)}, want: ""},
		"undone":                   {files: files{journal(three, entry(time.Hour, "undo", "committed", `,"undoes":"1"`)), stamp(30 * time.Hour)}, want: ""},
		"long ago":                 {files: files{journal(entry(30*time.Hour, "dream", "committed", "")), stamp(30 * time.Hour)}, want: ""},
		"failed":                   {files: files{journal(three, entry(time.Minute, "dream", "crashed", ""))}, want: ""},
		"it waits":                 {off: true, files: files{journal(three, entry(time.Minute, "dream", "proposed", ""))}, want: "dream: waits for you (dream-mcp review)"},
		"due":                      {files: files{journal(entry(30*time.Hour, "dream", "committed", "")), stamp(30 * time.Hour), scan(30*time.Hour, 5)}, want: "dream: due"},
		"due, off":                 {off: true, files: files{stamp(30 * time.Hour), scan(30*time.Hour, 5)}, want: ""},
		"too few sessions":         {files: files{stamp(30 * time.Hour), scan(30*time.Hour, 4)}, want: ""},
		"counted for another time": {files: files{stamp(30 * time.Hour), scan(31*time.Hour, 5)}, want: ""},
		"too early":                {files: files{stamp(23 * time.Hour), scan(23*time.Hour, 5)}, want: ""},
		"a long journal":           {files: files{journal(strings.Repeat("{}\n", maxJournalTail), three)}, want: "dreamed 2h ago: 3 improved"},
	} {
		t.Run(name, func(t *testing.T) {
			k := Known{MemoryDir: t.TempDir(), StateDir: t.TempDir(), Enabled: !row.off, MinHours: 24, MinSessions: 5}
			for _, file := range row.files {
				file(t, k)
			}
			if got := k.Word(now); got != row.want {
				t.Errorf("says %q, want %q", got, row.want)
			}
		})
	}
}
