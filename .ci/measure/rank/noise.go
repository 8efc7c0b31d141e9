package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// What people and agents say to each other all day, and what answers no question. %f is a file, %n a number.
var taskTalk = [][2]string{
	{"run the tests", "All %n tests pass in %n seconds. Nothing else was changed."},
	{"continue", "I will go on with %f next: first the helper, then its callers, then the tests of both."},
	{"commit that", "Committed as one change with a short message; the working tree is clean."},
	{"why does the linter complain about %f", "It reports an unused variable in line %n and a missing comment in line %n. Both are fixed now."},
	{"have a look at %f and tell me what it does", "The file has %n lines. " +
		"It reads the configuration, opens the store, and starts the workers; errors are returned to the caller."},
	{"that's not it, the build still fails", "You are right, the import in %f was still the old one. I changed it and the build is green."},
	{"can you rename the function in %f so that it says what it does", "Renamed in %f and its %n callers. The tests pass."},
	{"show me the diff", "%n files changed: %f has the new check, %f calls it, and the tests cover both cases."},
	{"ok", "What should I do next?"},
	{"please update the readme too", "The README describes the new option now, with an example."},
	{"undo the last change in %f", "Reverted. %f is as it was before, and the other files keep their changes."},
	{"the page is still slow, profile it", "The profile shows %n % of the time in %f, most of it in sorting. I sort once now and keep the result."},
	{"add a test for the empty case", "Added to %f. It failed before the fix and passes now."},
	{"what is left to do", "Two things: the error message in %f, and a decision whether old files are migrated."},
}

var taskFiles = strings.Fields(`src/export/run.go internal/store/page.ts app/models/season.py lib/webhook/send.rb
	web/map/tiles.js src/import/stops.rs pkg/invoice/number.go core/index/fold.kt`)

// noisy returns the set with task talk among its turns and as sessions of its own, the same each time.
// A turn and a short answer to it stay together.
func noisy(s set) set {
	random := rand.New(rand.NewPCG(17, 4))
	var turns []turn
	n := 0
	say := func(like turn, exchanges int) {
		for range exchanges {
			talk := taskTalk[random.IntN(len(taskTalk))]
			for side, text := range talk {
				for strings.Contains(text, "%f") {
					text = strings.Replace(text, "%f", taskFiles[random.IntN(len(taskFiles))], 1)
				}
				for strings.Contains(text, "%n") {
					text = strings.Replace(text, "%n", strconv.Itoa(1+random.IntN(400)), 1)
				}
				n++
				like.id, like.text, like.user = fmt.Sprintf("noise:%d", n), text, side == 0
				turns = append(turns, like)
			}
		}
	}
	for i, t := range s.turns {
		opens := i == 0 || s.turns[i-1].session != t.session
		if opens {
			other := t
			other.session = "noise-" + t.session
			say(other, 20)
		}
		if t.user && (opens || len(strings.Fields(t.text)) > 8) {
			say(t, random.IntN(5))
		}
		turns = append(turns, t)
	}
	return set{turns: turns, questions: s.questions}
}
