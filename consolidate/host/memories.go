package host

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory"
	"dream-mcp/memory/lazy"
	"dream-mcp/memory/related"
)

// memories are the files in which a host's model keeps what it remembers of a project, or of the person. Each entry is
// a session of one utterance, named by its words: one that changes is another session, and what was listed once is not
// listed again. A file that is a link, or has a second name, is not read.
func memories(id said.HostID, place Place, paths []string, ours func(home string, roots []string) func(string) bool, cut func(path, text string) []remembered) Sessions {
	f := said.Format{Host: id, Memory: true, Ours: ours}
	for _, path := range paths {
		f.Folders = append(f.Folders, said.Folder{Path: path, Why: "what its model remembers", Trust: said.ByFolder})
	}
	f.Collect = func(path string, ours func([]string) bool) said.Collection {
		return &parts{path, maxMemory, true, func(text string, at time.Time) (all []part) {
			seen := map[string]bool{}
			for _, e := range cut(path, text) {
				if p := e.part(path, at); !seen[p.id] && (e.dirs == nil || ours(e.dirs)) {
					seen[p.id] = true
					all = append(all, p)
				}
			}
			return all
		}}
	}
	return Sessions{Format: f, Place: place}
}

// remembered is one thing that a model remembers.
type remembered struct {
	line  int
	text  string
	dirs  []string // of the projects that it names; nil: it is of the file's
	about string   // "" or what it is about if not a project
}

// ofPerson is what an entry without a project is about.
const ofPerson = ", about the person"

// maxMemory bounds what is read of a file. The largest seen had 274 KB.
const maxMemory = 1 << 20

// part returns an entry of a file as a session.
func (e remembered) part(path string, at time.Time) part {
	return part{fmt.Sprintf("%016x", said.Sum(e.text)), said.Status{Size: 1, ModTime: at}, func() []said.Record {
		r := said.Record{
			Type: said.MemoryType, Timestamp: stamp(at), Branch: said.Quoted(fmt.Sprintf("%s:%d%s", filepath.Base(path), e.line, e.about)),
			Message: said.Message{Blocks: typedText(e.text)},
		}
		return []said.Record{r}
	}}
}

// pointer is a line of an index.
var pointer = lazy.New(`^[-*]\s+\[[^\]]*\]\([^)]*\.md\)`)

// passages are the entries of a Markdown file: its description, paragraphs and list items. A file of the person's is
// about the person.
func passages(path, text string) (all []remembered) {
	t := memory.ParseTopic([]byte(text))
	_, at, _ := t.Field("description")
	d := related.Document{File: filepath.Base(path), Description: t.Description(), DescribedAt: at, Body: t.Body(), BodyAt: t.BodyLine()}
	for _, p := range d.Passages() {
		if words := strings.TrimLeft(p.Text, "-* "); strings.Contains(words, " ") && !pointer.MatchString(p.Text) {
			all = append(all, remembered{line: p.Line, text: words})
		}
	}
	return all
}

// personal are passages about the person.
func personal(path, text string) []remembered {
	all := passages(path, text)
	for i := range all {
		all[i].about = ofPerson
	}
	return all
}

// inFolder returns a filter for files below a folder with a name, whose parent folder fits.
func inFolder(name string, parent func(home string, roots []string) func(string) bool) func(string, []string) func(string) bool {
	return func(home string, roots []string) func(string) bool {
		fits := parent(home, roots)
		return func(file string) bool {
			before, _, ok := strings.Cut(filepath.ToSlash(file), "/"+name+"/")
			return ok && fits(filepath.FromSlash(before+"/"+name))
		}
	}
}

// named returns a filter for folders in one that has the name of a directory of the project.
func named(name func(dir string) string) func(string, []string) func(string) bool {
	return func(_ string, roots []string) func(string) bool {
		return func(folder string) bool {
			for _, root := range roots {
				if strings.EqualFold(filepath.Base(filepath.Dir(folder)), name(root)) {
					return true
				}
			}
			return false
		}
	}
}
