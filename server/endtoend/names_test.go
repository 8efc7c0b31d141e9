package endtoend

import (
	"dream-mcp/consolidate/transcript/said"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"
)

// hostileNames are names after the classes that file servers and archivers are tested with.
func hostileNames() map[string][]string {
	names := map[string][]string{}
	add := func(class string, all ...string) { names[class] = append(names[class], all...) }

	dots := []string{
		"..", "...", "..;", "%2e%2e", "%252e%252e", "%%32%65%%32%65", "\u002e\u002e\u200b", "．．", "․․", "。。", "‥",
		"\xc0\xae\xc0\xae", "\xe0\x80\xae\xe0\x80\xae", ".\x00.", ".\t.", "..\x01", ".. ", " ..", "..\u202e", "\\.\\.", "&#46;&#46;", "..~",
	}
	slashes := []string{"/", "//", "\\", "/./", "%2f", "%252f", "%5c", "%c0%af", "\xc0\xaf", "／",
		"∕", "⁄", "＼", "⧵", "\\/", "/\\", ":", "%u2215", "\x00/", "&#47;"}
	for _, dot := range dots {
		for _, slash := range slashes {
			for _, depth := range []int{1, 3} {
				add("climbing", strings.Repeat(dot+slash, depth)+"outside.md")
			}
			add("climbing from within", "deep"+slash+dot+slash+dot+slash+"outside.md")
		}
	}
	for _, root := range []string{
		"/", "//", "/./", "/../", "~/", "~root/", "$HOME/", "${HOME}/", "%HOME%/", "`pwd`/", "$(pwd)/", "file:///", "file://localhost/", "memory://",
		"C:/", "C:\\", "c:", "\\", "\\\\server\\share\\", "//server/share/", "\\\\?\\C:\\", "\\\\.\\C:\\", "\\??\\C:\\", "\\\\?\\UNC\\server\\share\\", "\\Device\\HarddiskVolume1\\",
		"/proc/self/cwd/", "/proc/self/root/", "/dev/fd/3/", "/proc/self/fd/3/", "/net/server/", "://", "git+ssh://h/", "-", "--", "-rf ", "./", ".//", "./.",
	} {
		add("absolute", root+"outside.md", root+"../outside.md", root+"CON.md")
	}
	for _, device := range []string{"CON", "PRN", "AUX", "NUL", "COM1", "COM9", "LPT1", "LPT9", "COM¹", "COM²",
		"LPT³", "CONIN$", "CONOUT$", "COM0", "CLOCK$", "con", "Aux", "nUl"} {
		add("devices", device, device+".md", device+".x.md", device+" .md", device+"/x.md", "deep/"+device+".md", device+".md.", device+":.md")
	}
	for _, stem := range []string{"a.md", "new.md", "deep/new.md", "MEMORY.md"} {
		for _, end := range []string{".", "..", " ", "  .", "\u00a0", "\u3000", "/", "/.", "\\", "::$DATA", ":x", ":x.md", ":Zone.Identifier", "::$INDEX_ALLOCATION", "\x00", "\x00.md", "%00.md", "\n.md", "\r.md", "?", "#.md", ";1", "~", "*", "\u202e", "\u200b", "\ufeff", "\u0000.png", "|", "<", ">", "\"", "`id`.md", "$(id).md", "{a,b}.md", "[a].md"} {
			add("endings", stem+end)
		}
		for _, before := range []string{".", " ", "-", "~", "\u202e", "\ufeff", "\u200b", "@", "!", "_", "\x7f", "\x1b[2J", "\u0085", "\u2028", "#"} {
			add("beginnings", before+stem, "deep/"+before+stem)
		}
	}
	add("short names", "A~1.MD", "MEMORY~1.MD", "PROGRA~1/x.md", "DEEP~1/x.md", "LONGNA~1.md", "a~1.md")
	add("twins", "A.md", "a.MD", "A.MD", "ａ.md", "а.md", "DEEP/x.md", "Memory.md", "memory.md", "ＭＥＭＯＲＹ.md", "MEMORY .md", "ME\u00adMORY.md",
		"caf\u00e9.md", "cafe\u0301.md", "\u212b.md", "\u00c5.md", "A\u030a.md", "\ufb01le.md", "file.md", "stra\u00dfe.md", "strasse.md", "\u0130.md", "i\u0307.md", "\u0131.md", "I.md", "\u03c3.md", "\u03c2.md", "\u03a3.md", "\uac00.md", "\u1100\u1161.md", "\u1e9e.md", "\u017f.md", "S.md", "\u2126.md", "\u03a9.md", "K.md", "\u212a.md")
	add("hidden", ".md", ".a.md", ".dream.lock", ".dream.lock.md", ".consolidate-lock", ".consolidate-lock.md", ".git/config.md", ".git/x.md", ".GIT/x.md", "git~1/x.md", ".dream-0123456789abcdef.tmp", ".dream-0123456789abcdef.tmp.md", "deep/.x.md", "._a.md", ".DS_Store.md", "~$a.md")
	add("reserved", "MEMORY.md", "deep/MEMORY.md", "team/MEMORY.md", "logs/2026.md", "LOGS/2026.md", "logs/2026/11/x.md", "sessions/x.md", "Sessions/x.md", "agents/x.md", "AGENTS/x.md", "a/b/c.md", "a/b/c/d.md", "a.md/x.md", "index/a.md", "desktop.ini.md", "a.txt", "a", "a.md.txt", "a.markdown", "a.mD", "a.md5")
	for _, n := range []int{100, 196, 197, 198, 250, 255, 256, 396, 400, 401, 4096, 65536} {
		add("lengths", strings.Repeat("n", n)+".md", strings.Repeat("é", n/2)+".md",
			strings.Repeat("d", n/2)+"/"+strings.Repeat("n", n/2)+".md", strings.Repeat("../", n/3)+"outside.md", strings.Repeat("a/", n/2)+"x.md")
	}
	add("storms", "a"+strings.Repeat("\u0301", 90)+".md", strings.Repeat("\u0e01\u0e49\u0e49", 20)+".md", strings.Repeat("🧠", 40)+".md", "🧠.md", "👩‍💻.md", "🇩🇪.md", strings.Repeat("\u202e", 50)+".md", strings.Repeat("﷽", 60)+".md", "\U000e0041\U000e0042.md", "\ufe0f.md", "\ue000.md", "\U0010ffff.md", "\ufffe.md", "\ufffd.md", "\xff\xfe.md", "\xed\xa0\x80.md", "\xf8\x88\x80\x80\x80.md", "a\xcc.md", "日本語.md", "עברית.md", "العربية.md", "हिन्दी.md", "ไทย.md", "한국어 메모.md", "с пробелом.md", "e\u0308\u0323.md", "\u200f\u200e.md", "\u2066x\u2069.md", "\u180e.md", "\u115f.md", "\u3164.md", "\uffa0.md", "\u2800.md")
	for r := rune(0); r < 0x30; r++ {
		add("each character", "x"+string(r)+"y.md", string(r)+".md")
	}
	for _, r := range []rune{0x3a, 0x3f, 0x5b, 0x5c, 0x60, 0x7b, 0x7c, 0x7f, 0x80, 0x9f, 0xa0, 0xad, 0x34f,
		0x61c, 0x2000, 0x200d, 0x2028, 0x202a, 0x2060, 0xfe00, 0xfeff, 0xfff9} {
		add("each character", "x"+string(r)+"y.md", string(r)+".md")
	}
	add("links", "link.md", "hard.md", "linked/new.md", "linked/outside.md", "dangling.md", "loop.md", "fifo.md",
		"folder.md", "folder.md/x.md", "absolute.md", "away/outside.md", "away/new.md")
	return names
}

var everyName = flag.Int("names", 4, "the script names tries one hostile name in so many of each class; 1: all")

// namesCommand writes, reads, and reads as a resource what a hostile name names. Each is refused with a reason, or
// becomes one file inside the memory, which a second write deletes. Nothing outside is changed or shown.
func namesCommand(ts *testscript.TestScript, neg bool, args []string) {
	outside := tree(ts, ts.Getenv("WORK"), ts.Getenv("MEMORY"), ts.Getenv("STATE"))
	cmd := serverCommand(ts)
	c := startClient(ts, cmd)
	defer cmd.Process.Kill()
	c.greet()

	tried, taken := 0, 0
	for class, names := range hostileNames() {
		before := tree(ts, ts.Getenv("MEMORY"))
		for i, name := range names {
			if i%*everyName != 0 {
				continue
			}
			tried++
			if c.hostile(class, name) {
				taken++
			}
			if got := tree(ts, ts.Getenv("MEMORY")); !reflect.DeepEqual(got, before) {
				ts.Fatalf("%s: %q changed the memory: %s", class, name, differences(got, before))
			}
		}
		if got := tree(ts, ts.Getenv("WORK"), ts.Getenv("MEMORY"), ts.Getenv("STATE")); !reflect.DeepEqual(got, outside) {
			ts.Fatalf("%s changed what is outside: %s", class, differences(got, outside))
		}
	}
	ts.Check(c.in.Close())
	ts.Check(cmd.Wait())
	if taken < 20 / *everyName || tried-taken < 1000 / *everyName {
		ts.Fatalf("%d names of %d were taken", taken, tried)
	}
	fmt.Printf("TestScript/names tried %d hostile names: %d refused, %d inside the memory\n", tried, tried-taken, taken)
}

// hostile tries one name, and reports whether it could be written.
func (c *client) hostile(class, name string) (taken bool) {
	quoted := quoteRaw(name)
	for _, read := range []string{
		string(c.call("tools/call", map[string]any{"name": "read_memory", "arguments": json.RawMessage(`{"paths": [` + quoted + `, "a.md"]}`)})),
		string(c.call("resources/read", map[string]any{"uri": "memory://" + url.PathEscape(name)})),
		string(c.call("resources/read", map[string]any{"uri": json.RawMessage(quoteRaw("memory://" + name))})),
	} {
		if strings.Contains(read, "OUTSIDE") {
			c.ts.Fatalf("%s: %q reads what is outside: %s", class, name, read)
		}
	}
	const content = `"content": "---\nname: hostile\ndescription: a name\nmetadata:\n  type: project\n---\n\nIts text.\n", "waive": [{"rule": "near-duplicate", "why": "names are tried"}]`
	text, failed := c.write(class, name, `{"path": `+quoted+`, `+content+`}`)
	if failed {
		return false
	}
	var written struct{ Path, Action, Sum string }
	c.ts.Check(json.Unmarshal([]byte(text), &written))
	memory := c.ts.Getenv("MEMORY")
	if written.Path != name || written.Action != "created" || !plain(name) {
		c.ts.Fatalf("%s: %q was taken: %s", class, name, text)
	}
	if info, err := os.Lstat(filepath.Join(memory, name)); err != nil || !info.Mode().IsRegular() {
		c.ts.Fatalf("%s: %q was taken, and is not in the memory: %v", class, name, err)
	}
	if text, failed := c.write(class, name, fmt.Sprintf(`{"path": %s, "delete": true, "base": %q}`, quoted, written.Sum)); failed {
		c.ts.Fatalf("%s: %q could not be deleted: %s", class, name, text)
	}
	return true
}

// write calls write_memory, whose refusals are bounded, say why, and show nothing raw.
func (c *client) write(class, name, arguments string) (text string, failed bool) {
	answer := c.call("tools/call", map[string]any{"name": "write_memory", "arguments": json.RawMessage(arguments)})
	var result struct {
		Content []struct{ Text string }
		IsError bool
	}
	if strings.HasPrefix(string(answer), "protocol error") && !utf8.ValidString(name) {
		return "", true // no JSON
	}
	if err := json.Unmarshal(answer, &result); err != nil || len(result.Content) != 1 {
		c.ts.Fatalf("%s: %q: %s", class, name, answer)
	}
	text = result.Content[0].Text
	if !result.IsError {
		return text, false
	}
	lines := strings.Split(text, "\n")
	if !strings.HasPrefix(text, "refused: ") || !strings.HasPrefix(lines[1], "hint: ") || len(text) > 10_000 || said.Visible(text) != text {
		c.ts.Fatalf("%s: %q was refused with %q", class, name, text)
	}
	return text, true
}

// plain reports whether a name is allowed: letters, digits, marks, inner spaces, "-", "_" and ".".
func plain(name string) bool {
	folder, file := filepath.Split(name)
	for _, part := range []string{strings.TrimSuffix(folder, "/"), strings.TrimSuffix(file, ".md")} {
		if strings.ContainsFunc(part, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && !strings.ContainsRune(" -_.", r)
		}) || strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".") || strings.TrimSpace(part) != part {
			return false
		}
	}
	return len(name) <= 200 && strings.HasSuffix(file, ".md") && file != ".md"
}

// quoteRaw is a JSON string whose bytes are those of s, be they UTF-8 or not.
func quoteRaw(s string) string {
	if utf8.ValidString(s) {
		data, _ := json.Marshal(s)
		return string(data)
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.Write([]byte{'\\', c})
		case c < 0x20:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// differences says which files of two trees differ, and how.
func differences(got, want map[string]string) string {
	var b strings.Builder
	for p, what := range got {
		if want[p] != what {
			fmt.Fprintf(&b, "\n%s is %q, was %q", p, what, want[p])
		}
	}
	for p := range want {
		if _, there := got[p]; !there {
			fmt.Fprintf(&b, "\n%s is gone", p)
		}
	}
	return b.String()
}

// tree describes everything below dir but our lock and the folders in without. If there are any, times are included:
// a write and its deletion leave the index with another time.
func tree(ts *testscript.TestScript, dir string, without ...string) map[string]string {
	files := map[string]string{}
	ts.Check(filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		for _, w := range without {
			if filepath.ToSlash(p) == filepath.ToSlash(w) {
				return filepath.SkipDir
			}
		}
		info, err := e.Info()
		if err != nil || e.Name() == ".dream.lock" {
			return err
		}
		what := info.Mode().String()
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			what += " " + string(data)
			if without != nil {
				what += info.ModTime().String()
			}
		} else if info.Mode()&fs.ModeSymlink != 0 {
			target, err := os.Readlink(p)
			if err != nil {
				return err
			}
			what += " " + target
		}
		files[p] = what
		return nil
	}))
	return files
}
