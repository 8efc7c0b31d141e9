// Package hook answers a host that tells of its sessions, where the answer is that nothing is to be done.
//
// A host waits for its hooks, and calls them after every turn. What the whole program links costs 6 to 15 ms of package
// initialisation in every process (jsonschema's tables, expressions that are compiled); a closed gate takes three file
// looks. So this package answers in its own initialisation. The language specification has packages
// initialised in the order of their paths as soon as what they import is, and dream-mcp/server/hook comes before all that
// is dear, as long as what it imports does. So it does without fmt, strings, encoding/json and path/filepath: they come late in
// that order, and they and what came before them took a quarter of the time. A test of the built program holds that order,
// and `go run ./server/hook/bench` measures what it gains.
//
// It promises that what it answers is what the gates would (of enabled, time and throttle, in that order), as far as the
// settings are as they were when they were last read: every file, variable and link that counted is compared. Whatever it
// does not know for certain it leaves to the rest of the program. To a hook it prints nothing. It writes nothing, and reads a bounded
// part of what it is given. A hook never lasts longer than Patience, and ends with exit code 0.
//
// A crash leaves nothing behind. It does not promise to see what a settings file says when it was changed
// within the resolution of its file system's clock, without changing its size.
package hook

import (
	"os"
	"time"
)

// Mark is the variable that says that a process belongs to a background dream: its own sessions are no occasion for another.
const Mark = "DREAM_BACKGROUND"

// Patience is how long a hook may last. Claude Code gives 1.5 s at a session's end (FACTS 6.1).
const Patience = 1200 * time.Millisecond

// The words of the command line that this package answers.
const (
	Verb       = "hook"
	Statusline = "statusline" // a word for a status bar; see Known.Word
)

// given is what was read from standard input before the rest of the program began; it can't be read twice.
var given struct {
	read  bool
	event Event
	err   error
}

func init() {
	if len(os.Args) >= 2 && (os.Args[1] == Verb && early(os.Args[2:]) || os.Args[1] == Statusline && glance(os.Args[2:])) {
		os.Exit(0)
	}
}

// early reports whether there is nothing to be done.
func early(args []string) (done bool) {
	defer func() {
		if recover() != nil {
			done = false
		}
	}()
	if marked(os.Getenv(Mark)) {
		return true
	}
	if info, err := os.Stdin.Stat(); err != nil || info.Mode()&os.ModeCharDevice != 0 && len(args) == 0 {
		return false // a person tries it
	}
	time.AfterFunc(Patience, func() { os.Exit(0) })
	given.event, given.err = read(args, os.Stdin)
	given.read = true
	if given.err != nil {
		return false
	}
	if given.event.Ignored() {
		return true
	}
	k, ok := Recall(args, given.event)
	return ok && k.Quiet(given.event, time.Now())
}

// glance says the word of a status bar, and reports whether enough is known to.
func glance(args []string) (done bool) {
	defer func() {
		if recover() != nil {
			done = false
		}
	}()
	info, err := os.Stdin.Stat()
	if err != nil {
		return false
	}
	time.AfterFunc(Patience, func() { os.Exit(0) })
	given.read = true
	if info.Mode()&os.ModeCharDevice == 0 { // else it is a person who asks, or a bar that has nothing to say: /dev/null
		given.event, given.err = read(args, os.Stdin)
	}
	if given.err != nil {
		return true // it is no host that asks, and there is nothing to say
	}
	k, ok := Recall(args, given.event)
	if word := k.Word(time.Now()); ok && word != "" {
		os.Stdout.WriteString(word + "\n")
	}
	return ok
}

// Given returns the event that the host told of.
func Given(args []string) (Event, error) {
	if given.read {
		return given.event, given.err
	}
	return read(args, os.Stdin)
}

func marked(s string) bool { return s != "" && s != "0" && s != "false" }
