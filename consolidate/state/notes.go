package state

import (
	"time"

	"dream-mcp/consolidate/listed"
	"dream-mcp/consolidate/lock"
	"dream-mcp/memory/related"
)

// The notes. Package share has one more, "share".
var (
	// Offers is the pause of hooks that offer a dream, Launches that of hooks and supervisors that start one.
	Offers   = Known(Note[Pause]{Name: "offer"})
	Launches = Known(Note[Pause]{Name: "launch"})

	// Running is the background dream that was begun and not ended. Without an ID there is none.
	Running = Known(Note[Run]{Name: "run"})

	// LastCount is the last count by a hook that found too few sessions.
	LastCount = Known(Note[Count]{Name: "count"})

	// Doubts are the last findings of the rule drift, by file, since a hook has no time to check it.
	Doubts = Known(Note[map[string]Doubt]{Name: "doubts", Cache: true})

	// LastLeft is what the last two dreams left, the newest first: the second counts when the last is undone.
	LastLeft = Known(Note[[]Left]{Name: "left"})

	// Declined are the memories that the person does not want in all projects.
	Declined = Known(Note[map[string]bool]{Name: "declined"})

	// Unindexed are the memories without a line in the index because it was full, in the order in which they are to get
	// one.
	Unindexed = Known(Note[[]string]{Name: "unindexed"})

	// Listed is what the listings of dreams showed of the sessions, so that the next dream is shown the rest.
	Listed = Known(Note[[]listed.Marks]{Name: "listed"})

	// Roots are those that the sessions of the project had: a worktree that is removed leaves its sessions.
	Roots = Known(Note[[]string]{Name: "roots", Cache: true})

	// Machine is the name of this machine for this memory, which stays when a share ends.
	Machine = Known(Note[string]{Name: "machine"})

	// DreamHost is the program that a person last had dream.
	DreamHost = Known(Note[string]{Name: "dream_host"})

	// Copies are the copies of the person's memories that this project has, by file.
	Copies = Known(Note[map[string]Copy]{Name: "copies"})

	// Gone is when this database was created in the place of one that was gone, until the person has taken note of it.
	Gone = Known(Note[time.Time]{Name: "gone"})
)

// notesWithText are the notes that have texts of memories, or of what a person or a model said.
const notesWithText = "'offer', 'launch', 'doubts', 'left', 'copies'"

// A Pause is the time until which something is not tried again.
type Pause struct {
	After    time.Time // by hooks
	Retry    time.Time // by a supervisor, after a failure
	Failures int       // in a row
	Why      string
}

// A Run is a background dream, and the process of its supervisor.
type Run struct {
	ID      string
	Started time.Time
	PID     int
}

// A Count is the result of a count of the sessions.
type Count struct {
	Time  time.Time
	Since lock.Stamp // the last consolidation
	Found int
}

// A Doubt is a finding about a file. It is valid while the file has the sum.
type Doubt struct{ Sum, Message string }

// Left is what a dream left in the memory directory.
type Left struct {
	Dream   string
	Time    time.Time
	Files   map[string]string // by file, the marks of its passages, without their text
	Project string            // as it is named to the person
	Folder  string            // the memory directory
	About   []related.Document
}

// A Copy is what is known of the copy that a project has of a memory of the person.
type Copy struct {
	Text   string // as project and person had it last, without its sources
	Ours   bool   // it was here before it was the person's, and stays
	Except bool   // the person wants this project to go without it
	New    bool   // the other projects do not have it yet
}
