// Package transcript has no code. The packages below it are what the rest of the program knows of the sessions of one
// project: search.Store lists what was said, finds it, and counts sessions. README.md explains the design.
//
// It promises that what a host injected (memory, reminders, tool lists, summaries) and what was said in a dream is not
// taken for an utterance; that every answer is bounded and says what it left out; that one bad line costs that line
// only; and that a transcript is never written, locked, or followed through a link.
//
// On disk it keeps what was said in one database (see package cache), private to the user. It can be made again at any
// moment: a crash, a full disk or a damaged file costs time only.
//
// It does not promise a snapshot: a transcript that grows during a search may or may not show its newest lines. Nor
// does it judge or trust the words: they are what others wrote.
package transcript
