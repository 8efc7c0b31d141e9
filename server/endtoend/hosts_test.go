package endtoend

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"

	"dream-mcp/consolidate/host"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/testdata/fixture"
)

// A allHosts has the store of each host of host.List, from its fixture, with sessions in two projects.
type allHosts struct {
	ts    *testscript.TestScript
	roots [2]string           // of the projects
	typed map[string][]string // what the fixture of a host says that a person typed in the first
}

// everyHostCommand makes a machine with the stores of all hosts, and goes through the front door: what was said in each
// is listed completely, counted for the gate, cited as evidence and found by why; our own tools' answers are not found;
// no store is changed.
func everyHostCommand(ts *testscript.TestScript, _ bool, _ []string) {
	m := allHosts{ts, [2]string{ts.Getenv("PROJECT"), filepath.Join(ts.Getenv("WORK"), "harbour")}, map[string][]string{}}
	ts.Check(os.MkdirAll(m.roots[1], 0o700))
	sessions := 0
	for _, h := range host.List {
		if h.Read() {
			sessions += m.unpack(h)
		}
	}
	before := m.tree()
	here := m.start(m.roots[0])
	there := m.start(m.roots[1])
	here.do("dream_status {}")
	if counted := fmt.Sprintf("%d sessions; 1 needed", sessions); !strings.Contains(here.said.String(), counted) {
		ts.Fatalf("not %s:\n%s", counted, here.said.String())
	}
	listed := m.listed(here)
	for id, typed := range m.typed {
		for _, text := range typed {
			if !slices.ContainsFunc(listed[id], func(u listedLine) bool { return strings.HasPrefix(u.text, text) }) {
				ts.Fatalf("%q of %s is not listed:\n%s", text, id, here.said.String())
			}
		}
		for _, u := range listed[id] {
			if !slices.ContainsFunc(typed, func(text string) bool { return strings.HasPrefix(u.text, text) }) {
				ts.Fatalf("%s is listed with %q, which is not in its fixture", id, u.text)
			}
		}
	}
	for id := range listed {
		if m.typed[id] == nil {
			ts.Fatalf("%s is listed", id)
		}
	}
	if other := m.listed(there); len(other) < 10 || strings.Contains(there.said.String(), "light the lamp") {
		ts.Fatalf("the other project has the sessions of %d hosts:\n%s", len(other), there.said.String())
	}
	here.do(`grep_transcripts {"pattern": "lamp is red", "speakers": ["user", "assistant", "tool"]}`)
	if !strings.Contains(here.said.String(), `0 found for "lamp is red"`) {
		ts.Fatalf("an answer of our own tools is found:\n%s", here.said.String())
	}
	m.cite(here, listed)
	if after := m.tree(); after != before {
		ts.Fatalf("a store was changed:\n%s\nbefore:\n%s", after, before)
	}
	for _, c := range []*client{here, there} {
		ts.Check(c.in.Close())
		ts.Check(c.cmd.Wait())
	}
}

// start starts a server in a project.
func (m *allHosts) start(project string) *client {
	m.ts.Setenv("CLAUDE_PROJECT_DIR", project)
	m.ts.Setenv("START", project)
	c := startClient(m.ts, serverCommand(m.ts))
	c.greet()
	return c
}

// wanted is a line of a fixture with what a person, or another one, said.
var wanted = regexp.MustCompile(`(?m)^  \d+ \S+ (?:\S+ )?(user|others|memory): (".*") \S*$`)

// unpack writes the store of a host, whose sessions may have the IDs of another's, and returns how many the project
// has.
func (m *allHosts) unpack(h *host.Host) (sessions int) {
	a, err := txtar.ParseFile(filepath.Join(root, "consolidate", "host", "testdata", h.ID+".txtar"))
	m.ts.Check(err)
	var pairs []string
	for n, written := range []string{"/home/dev/lighthouse", "/home/dev/harbour"} {
		sums := [2]string{}
		for k, dir := range []string{written, m.roots[n]} {
			sum := sha256.Sum256([]byte(dir))
			sums[k] = hex.EncodeToString(sum[:])
		}
		dashed := func(dir string) string { return regexp.MustCompile(`[^a-zA-Z0-9]`).ReplaceAllString(dir[1:], "-") }
		pairs = append(pairs, written, m.roots[n], dashed(written), dashed(m.roots[n]), sums[0], sums[1])
	}
	for k, f := range a.Files { // the records of each file get IDs of their own, too: none is a copy
		own := []string{"000010", fmt.Sprintf("%04d10", k), "request_", fmt.Sprintf("request_%d", k), "msg_", fmt.Sprintf("msg_%d", k)}
		one := txtar.Archive{Files: []txtar.File{f}}
		m.ts.Check(fixture.Unpack(&one, m.ts.Getenv("HOME"), strings.NewReplacer(slices.Concat(pairs, own)...)))
	}
	want := string(a.Files[len(a.Files)-1].Data)
	for _, found := range wanted.FindAllStringSubmatch(want, -1) {
		text, err := strconv.Unquote(found[2])
		m.ts.Check(err)
		m.typed[h.ID] = append(m.typed[h.ID], start(text))
	}
	return strings.Count(want, "\nsession ") + strings.Count(want[:min(len(want), 8)], "session ")
}

// start returns the beginning of a text, which a listing does not abridge.
func start(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	runes := []rune(first)
	return string(runes[:min(len(runes), 24)])
}

// A listedLine is an utterance of a listing.
type listedLine struct{ id, text string }

var (
	listedSession = regexp.MustCompile(`^((?:([a-z-]+)/)?\S+) \d{4}-\d\d-\d\d (?:.* remembers,|[A-Z][a-z]{2}\b)`)
	listedWords   = regexp.MustCompile(`^(:[\d.]+) [\d: -]*\d\d:\d\d(?: \[[^\]]*\])*(?: (?:user|another person):)* (.*)`)
)

// listed lists what was said in a project, by the IDs of the hosts, without what the model said.
func (m *allHosts) listed(c *client) map[string][]listedLine {
	from := c.said.Len()
	c.do(`grep_transcripts {"speakers": ["user", "assistant"], "since": "2026-01-01"}`)
	for {
		more := regexp.MustCompile(`more: (grep_transcripts \{"cursor": "[^"]*"\})`).FindStringSubmatch(c.said.String()[from:])
		if more == nil {
			break
		}
		text := c.said.String()[from:]
		c.said.Reset()
		fmt.Fprint(&c.said, strings.Replace(text, "more: grep", "more (read): grep", 1))
		from = 0
		c.do(more[1])
	}
	all := map[string][]listedLine{}
	session, id := "", ""
	for line := range strings.Lines(c.said.String()[from:]) {
		line = strings.TrimLeft(strings.TrimRight(line, "\n"), " ")
		if found := listedSession.FindStringSubmatch(line); found != nil {
			session, id = found[1], cmp.Or(found[2], string(said.ClaudeCode))
		} else if found := listedWords.FindStringSubmatch(line); found != nil && !strings.HasPrefix(found[2], "assistant:") {
			all[id] = append(all[id], listedLine{session + found[1], found[2]})
		}
	}
	return all
}

// cite cites the words of each host in a memory, and asks for its source.
func (m *allHosts) cite(c *client, listed map[string][]listedLine) {
	m.ts.Setenv("CLAUDE_PROJECT_DIR", m.roots[0])
	for id, lines := range listed {
		for i, u := range lines {
			others := strings.HasPrefix(u.text, "always paint it pink")
			if i > 0 && !others {
				continue
			}
			name := fmt.Sprintf("feedback_%s_%d", strings.ReplaceAll(id, "-", "_"), i)
			from := c.said.Len()
			c.do(fmt.Sprintf(`write_memory {"path": "%s.md", "content": "---\nname: %s\ndescription: what a person said in %s, number %d\ntype: feedback\n---\nSaid in %[3]s: number %[4]d.\n", "evidence": [%q], "index": {"title": %[2]q}, "waive": [{"rule": "near-duplicate", "why": "one of each host"}]}`,
				name, strings.ReplaceAll(name, "_", " "), id, i, u.id))
			if answer := c.said.String()[from:]; !strings.Contains(answer, `"action":"created"`) || strings.Contains(answer, "not the user's words") != others {
				m.ts.Fatalf("evidence of %s:\n%s", id, answer)
			}
			m.ts.Check(m.ts.Exec("dream-mcp", "why", name+".md"))
			if why := m.ts.ReadFile("stdout"); !strings.Contains(why, start(u.text)) {
				m.ts.Fatalf("why %s.md does not have %q:\n%s", name, u.text, why)
			}
		}
	}
}

// tree returns the names, times and sums of the files of all stores.
func (m *allHosts) tree() string {
	var b strings.Builder
	home := m.ts.Getenv("HOME")
	m.ts.Check(filepath.WalkDir(home, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			if e.Name() == "memory" || strings.HasSuffix(path, filepath.Join(".local", "state")) {
				return fs.SkipDir
			}
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		fmt.Fprintln(&b, path, info.ModTime(), sha256.Sum256(data))
		return err
	}))
	return b.String()
}
