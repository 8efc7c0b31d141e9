package said

// A Reason says why something was passed over. It is a plural noun, to be read after its count.
type Reason string

// Why files are not sessions of the project.
const (
	OtherProject Reason = "sessions of other projects"
	Subagent     Reason = "sub-agents"
	Ghost        Reason = "ghosts without an utterance"
	WarmUp       Reason = "warm-ups"
	Dream        Reason = "dreams"
	Automated    Reason = "sessions that a program ran"
	Copied       Reason = "older copies of a session"
	Untyped      Reason = "sessions in which nobody typed"
	Unreadable   Reason = "unreadable files"
	NoSession    Reason = "files that are not sessions"
	Older        Reason = "sessions older than the newest 20000"
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

// Add adds what else was passed over.
func (s Skipped) Add(other Skipped) {
	for reason, n := range other {
		s[reason] += n
	}
}
