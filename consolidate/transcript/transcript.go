// Package transcript is what the rest of the program knows of the sessions of one project: its Store lists what was said,
// finds it, and counts sessions. README.md explains the design and the packages below.
//
// It promises that what a host injected (memory, reminders, tool lists, summaries) and what was said in a dream is not
// taken for an utterance; that every answer is bounded and says what it left out; that one bad line costs that line only;
// and that a transcript is never written, locked, or followed through a link.
//
// On disk it keeps digests of what was said (see Store.Digests), private to the user. They can be made again at any
// moment: a crash, a full disk or a damaged file costs time only.
//
// It does not promise a snapshot: a transcript that grows during a search may or may not show its newest lines. Nor does
// it judge, mask secrets, or trust the words: they are what others wrote.
package transcript

import (
	"dream-mcp/consolidate/transcript/parallel"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/search"
	"dream-mcp/consolidate/transcript/sessions"
)

// The parts that callers name.
type (
	Store      = search.Store
	Query      = search.Query
	Result     = search.Result
	Hit        = search.Hit
	RankedHit  = search.RankedHit
	QueryError = search.QueryError
	Said       = search.Said
	Turn       = search.Turn

	Options = sessions.Options
	Session = sessions.Session

	Utterance = said.Utterance
	Speaker   = said.Speaker
	Manner    = said.Manner
	Host      = said.Host
	Other     = said.Other
	Folder    = said.Folder
	Skipped   = said.Skipped
)

// The speakers, the manners of a person's words, the hosts, and the defaults.
const (
	User      = said.User
	Assistant = said.Assistant
	Tool      = said.Tool

	Unreadable = said.Unreadable

	Busy         = said.Busy
	Interrupting = said.Interrupting
	Rejecting    = said.Rejecting
	Answering    = said.Answering
	Choosing     = said.Choosing

	ClaudeCode = said.ClaudeCode
	Codex      = said.Codex
	Gemini     = said.Gemini
	OpenClaw   = said.OpenClaw
	OpenCode   = said.OpenCode

	DreamMarker    = said.DreamMarker
	RecallTag      = said.RecallTag
	DefaultContext = search.DefaultContext
	MaxPatterns    = search.MaxPatterns
)

// The errors of Store.Lookup.
var (
	ErrNotFound  = sessions.ErrNotFound
	ErrAmbiguous = sessions.ErrAmbiguous
)

// The functions, under the names by which callers know them.
var (
	Open        = search.Open
	Choose      = search.Choose
	Counted     = sessions.Counted
	Slug        = sessions.Slug
	IsSessionID = said.IsPlainName
	Visible     = said.Visible
	Typed       = said.Typed
	Latest      = said.Latest
	ReadFolder  = said.ReadFolder
	BeganIn     = said.BeganIn
	Watched     = parallel.Watched
)
