// Package transcript reads the sessions of one project: which folders hold its transcripts, which files in them are
// sessions, what a person, the model and its tools said, and where something was said. README.md explains the design.
//
// It promises that what a host injected (memory, reminders, tool lists, summaries) and what was said in a dream is not
// taken for an utterance; that every answer is bounded and says what it left out; that one bad line costs that line only;
// and that a transcript is never written, locked, or followed through a link.
//
// On disk it keeps digests of what was said (see Options.Digests), private to the user. They can be made again at any
// moment: a crash, a full disk or a damaged file costs time only.
//
// It does not promise a snapshot: a transcript that grows during a search may or may not show its newest lines. Nor does
// it judge, mask secrets, or trust the words: they are what others wrote.
package transcript

import (
	"sync"
	"sync/atomic"
	"time"
)

// DreamMarker is in the prompt that opens one of our dreams. A user turn that contains it, and all that follows until a
// person types again, is not an utterance: a dream must not learn from itself.
const DreamMarker = "<dream-mcp-prompt"

// RecallTag is the element around memories that a hook of ours showed the model. It is not part of an utterance: a memory must not become
// evidence of itself.
const RecallTag = "dream-memories"

// Options say which project is meant. The zero value has no sessions.
type Options struct {
	// Projects is the folder <config>/projects; it need not exist.
	Projects string

	// Roots are absolute real paths in Unicode NFC: the project directory first, then the canonical
	// git root and its worktrees, live or removed. A session belongs when a working directory that it
	// recorded is one of them or below one.
	Roots []string

	// DirName is CLAUDE_CODE_PROJECT_DIR_NAME: the folder's name in place of the slug of Roots[0]. The
	// host then keeps sessions there whatever their path, so it is taken whole (FACTS 1.1).
	DirName string

	// Folders were named by a person (DREAM_TRANSCRIPTS). They are taken whole, unverified.
	Folders []string

	// Others are hosts beside Claude Code. Of their sessions only those count that ran in Roots.
	Others []Other

	// Current is the caller's own session, unless SetCurrent names another: never counted by the gate, yet searched.
	Current string

	// Digests is an absolute path: the folder for the digests of this project's sessions, made when it is first needed,
	// private. Nothing else may be in it. It may be deleted at any moment. Empty: digests are kept in memory only.
	Digests string

	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// The bounds of one search, unless a Store sets others.
const (
	// DefaultBudget is what a person waits for.
	DefaultBudget = 2 * time.Second

	// DefaultCounting is how long a search counts on when its page is certain: nobody notices it.
	DefaultCounting = 300 * time.Millisecond
)

// A Store is the transcripts of one project. It is safe for concurrent use; its fields are set
// before the first call.
type Store struct {
	Budget   time.Duration // wall time that one search may take
	Counting time.Duration // wall time that one search counts on when its page is certain; 0: none

	// DigestMemory bounds the digests in memory, in bytes. At 0, and without Options.Digests, every search builds them.
	DigestMemory int64

	// Classify returns the signals of what a person or the model said, a bit each; nil: none. It is called by several
	// threads, once for each utterance when its digest is made. Classifier names it: digests that another has made are
	// made again.
	Classify   func(Speaker, string) uint16
	Classifier string

	// FindSignal returns where one of some signals is in a text; nil: nowhere.
	FindSignal func(signals uint16, speaker Speaker, text string) (start, end int, ok bool)

	// Mask hides credentials in a text of which text[from:to] is to be shown, and returns where that is then; nil:
	// nothing is hidden. Whatever a hit shows is masked before it is cut.
	Mask func(text string, from, to int) (masked string, newFrom, newTo int)

	options Options
	current atomic.Pointer[string] // Options.Current, or what was said since

	mu          sync.Mutex
	collections map[string]collection // by path
	heads       map[string]cachedHead // by path

	opened sync.Once
	lying  *digests
}

// Open returns the transcripts that the options name. It touches no file.
func Open(o Options) *Store {
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Store{
		Budget:       DefaultBudget,
		Counting:     DefaultCounting,
		DigestMemory: DefaultDigestMemory,
		options:      o,
		collections:  map[string]collection{},
		heads:        map[string]cachedHead{},
	}
	s.SetCurrent(o.Current)
	return s
}

// SetCurrent says which session is the caller's own from now on, and reports whether it was another.
func (s *Store) SetCurrent(session string) (changed bool) {
	before := s.current.Swap(&session)
	return before == nil || *before != session
}

// Close stops what is being done in the background, and waits for it. The Store can still be asked; it does nothing in the
// background any more.
func (s *Store) Close() { s.digests().close() }

func (s *Store) digests() *digests {
	s.opened.Do(func() { s.lying = newDigests(s.options.Digests, s.DigestMemory, s.gone) })
	return s.lying
}

func (s *Store) making() making { return making{s.Classifier, s.Classify, maxPart} }

// A Reason says why something was passed over. It is a plural noun, to be read after its count.
type Reason string

// Why files are no sessions of the project.
const (
	OtherProject Reason = "sessions of other projects"
	Subagent     Reason = "sub-agents"
	Ghost        Reason = "ghosts without an utterance"
	WarmUp       Reason = "warm-ups"
	Dream        Reason = "background dreams"
	Automated    Reason = "sessions that a program ran"
	Copied       Reason = "older copies of a session"
	Untyped      Reason = "sessions in which nobody typed"
	Unreadable   Reason = "unreadable files"
	NoSession    Reason = "files that are no session"
	Unlisted     Reason = "folders too full to list"
)

// Why lines, or parts of them, were not read.
const (
	BadLine  Reason = "bad lines"
	LongLine Reason = "oversized lines"
	LongText Reason = "long texts cut"
)

// Skipped counts what was passed over, by reason. A reason without a count is absent.
type Skipped map[Reason]int

func (s Skipped) add(other Skipped) {
	for reason, n := range other {
		s[reason] += n
	}
}
