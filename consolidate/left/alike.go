package left

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"

	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
	"dream-mcp/memory/related"
	"dream-mcp/memory/visible"
)

// Bounds of what dreams of other projects see of a memory and its topics.
const (
	maxAbout     = 200 // topics
	maxAboutText = 300 // characters of each text
	maxAlike     = 3   // pairs
)

// minAlike is the share of the weight of their words that two memories share at least. share/README.md says what it
// finds.
const minAlike = 0.28

// about returns the beginnings of the memories of the types user and feedback, without those that the person does not
// want in all projects. Those that they have there are marked Outside.
func about(store *ops.Store, shown *memory.Snapshot) (docs []related.Document) {
	declined, _ := state.Declined.Get(store.Records.Look()) // without it they are shown again
	for _, d := range related.Documents(shown) {
		n, _ := memory.ParseName(d.File)
		t := shown.Topics[n]
		if t != nil && (t.Type() == memory.TypeUser || t.Type() == memory.TypeFeedback) && !declined[d.File] && len(docs) < maxAbout {
			d.Description, d.Body = visible.Short(d.Description, maxAboutText), visible.OneLine(d.Body, maxAboutText)
			d.Outside = t.IsPersons()
			docs = append(docs, d)
		}
	}
	return docs
}

// Alike returns memories of the person that another project, when it last dreamed, held alike: each with the nearest,
// without what is like one that is in all projects. No directory of another project is opened, and one that is gone
// does not count.
func Alike(store *ops.Store, shown *memory.Snapshot) (all []related.Pair) {
	docs := about(store, shown)
	project := make([]string, len(docs)) // of each; "" is this one
	databases, _ := fs.Glob(os.DirFS(store.StateHome), "*/"+state.File)
	for _, file := range databases {
		other, err := leftIn(filepath.Join(store.StateHome, filepath.Dir(file)))
		if err != nil || other.Folder == store.MemoryDir {
			continue
		}
		if _, err := os.Stat(other.Folder); err == nil {
			for _, d := range other.About {
				docs, project = append(docs, d), append(project, other.Project)
			}
		}
	}
	pairs := related.New(docs).Alike(minAlike)
	done := make([]bool, len(docs))
	for _, pair := range pairs {
		if a, b := pair[0], pair[1]; docs[a].Outside || docs[b].Outside {
			done[a], done[b] = true, true
		}
	}
	for _, pair := range pairs {
		if a, b := pair[0], pair[1]; project[a] == "" && project[b] != "" && !done[a] && len(all) < maxAlike {
			theirs := docs[b].Beginning()
			theirs.File = project[b] + ", " + theirs.File
			all, done[a] = append(all, related.Pair{From: docs[a].Beginning(), Hit: related.Hit{Passage: theirs}}), true
		}
	}
	return all
}

// leftIn returns what the last dream left of the memory whose state is in a folder.
func leftIn(folder string) (state.Left, error) {
	db, err := state.Open(folder, state.Options{LookOnly: true})
	if err != nil {
		return state.Left{}, err
	}
	defer db.Close()
	dreams, err := state.LastLeft.Get(db)
	if err != nil || len(dreams) == 0 {
		return state.Left{}, cmp.Or(err, fs.ErrNotExist)
	}
	return dreams[0], nil
}

// Decline notes that the person does not want a memory in all projects.
func Decline(store *ops.Store, file string) error {
	_, err := state.Declined.Change(store.Records.DB(), func(declined *map[string]bool) bool {
		*declined = ops.Cloned(*declined)
		(*declined)[file] = true
		return true
	})
	return err
}
