package consolidate

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/state"
)

// syncsOf runs an operation of counted or script in a child process, and returns its system calls that write, sync,
// name or remove a file.
func (w *world) syncsOf(operation string) []call {
	t := w.t
	t.Helper()
	strace, err := straceHere()
	if err != nil {
		t.Skip(err)
	}
	said, log := w.trace(strace, operation, "?write,pwrite64,?ftruncate,fsync,?fdatasync,?openat,?mkdirat,?renameat,?renameat2,?unlinkat,?unlink,?utimensat", "-y", "-s", "1000", "-f", "--seccomp-bpf")
	if said != "ended with <nil>" {
		t.Fatalf("%s: %s", operation, said)
	}
	return parseCalls(log)
}

// call is a system call that succeeded.
type call struct {
	name   string
	file   string // its path
	to     string // of a rename
	text   string // what was written, as strace shows it
	create bool   // of an openat: there was no file
}

var (
	callLine = regexp.MustCompile(`^(?:\d+ +)?(\w+)\((.*)\)\s+= \d`)
	callFile = regexp.MustCompile(`^(?:\d+|AT_FDCWD)<([^>]*)>`)                          // a file or a folder that is open
	callPath = regexp.MustCompile(`(?:(?:\d+|AT_FDCWD)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"`) // a path, and the folder that it begins in
)

func parseCalls(log string) (calls []call) {
	for line := range strings.Lines(log) {
		m := callLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		c := call{name: m[1]}
		switch c.name {
		case "openat", "mkdirat", "renameat", "renameat2", "unlinkat", "unlink", "utimensat":
			var paths [2]string
			for i, p := range callPath.FindAllStringSubmatch(m[2], 2) {
				if paths[i] = p[2]; !filepath.IsAbs(p[2]) {
					paths[i] = filepath.Join(p[1], p[2])
				}
			}
			c.file, c.to, c.create = paths[0], paths[1], strings.Contains(m[2], "O_EXCL")
		default:
			c.text = m[2]
			if f := callFile.FindStringSubmatch(m[2]); f != nil {
				c.file = f[1]
			}
		}
		calls = append(calls, c)
	}
	return calls
}

func (c call) sync() bool { return c.name == "fsync" || c.name == "fdatasync" }

func (c call) String() string { return c.name + " " + filepath.Base(c.file) }

// orderFaults returns what a power cut could spoil in an operation:
//
//   - a text that is put in place, or a file that is taken away, before the new texts, the record with the copies of
//     the old ones, and the mark in the lock file are durable;
//   - a record of the landing that is written before the files are durable in their places, or before its own folder
//     is;
//   - a file that is removed, or Claude Code's lock that is taken, before the record of it is durable;
//   - a lock file that is emptied before what its record is needed for is durable;
//   - a new database that gets its name before it is durable.
func (w *world) orderFaults(calls []call) (faults []string) {
	dirty := make(map[string]bool) // files that were written since their last sync
	moved := make(map[string]bool) // folders whose entries were changed since their last sync
	hosts := make(map[string]bool) // temporaries that were exchanged for Claude Code's lock
	marked := false                // the lock file says that a commit is under way
	fault := func(what string, c call, before string) {
		faults = append(faults, fmt.Sprintf("%s is %s before %s", filepath.Base(c.file), what, before))
	}
	created := func(file string) bool {
		return strings.HasPrefix(filepath.Base(filepath.Dir(file)), state.File+".new-")
	}
	wal := func(file string) bool { return filepath.Base(file) == state.File+"-wal" && !created(file) }
	durable := func(what string, c call, files map[string]bool) {
		for file := range files {
			fault(what, c, filepath.Base(file)+" is durable")
		}
	}
	for _, c := range calls {
		folder := filepath.Dir(c.file)
		inMemory := strings.HasPrefix(c.file, w.memory+"/")
		switch {
		case c.sync():
			delete(dirty, c.file)
			delete(moved, c.file)
		case c.name == "write" || c.name == "pwrite64" || c.name == "ftruncate" || c.name == "utimensat" && isTemp(filepath.Base(c.file)):
			if own := moved[folder]; wal(c.file) { // its own folder is synced with the first transaction
				delete(moved, folder)
				durable("written", c, moved)
				if own {
					moved[folder] = true
				}
			}
			if emptied := filepath.Base(c.file) == lock.File && c.name == "ftruncate" && strings.HasSuffix(c.text, ", 0"); emptied {
				durable("emptied", c, moved)
				durable("emptied", c, dirty)
			}
			if inMemory || wal(c.file) || created(c.file) && filepath.Base(c.file) == state.File {
				dirty[c.file] = true
			}
			if filepath.Base(c.file) == lock.File {
				marked = strings.Contains(c.text, `\"committing\":true`) || marked && c.name == "ftruncate"
			}
		case c.name == "mkdirat":
			moved[folder] = true
		case strings.HasPrefix(c.name, "rename") && created(c.file):
			if dirty[c.file] {
				fault("put in place", c, "it is durable")
			}
			moved[filepath.Dir(c.to)] = true
		case strings.HasPrefix(c.name, "rename") && inMemory:
			host := filepath.Base(c.to) == lock.HostFile
			if host {
				hosts[c.file] = true
			}
			for file := range dirty {
				if !host || !wal(file) { // the record of a dream is written before it takes the lock, its later changes are not
					fault("put in place", call{file: c.to}, filepath.Base(file)+" is durable")
				}
			}
			for folder := range moved {
				if !host && !strings.HasPrefix(folder, w.memory) {
					fault("put in place", call{file: c.to}, "the folder of the database is durable")
				}
			}
			if !marked && !host {
				fault("put in place", call{file: c.to}, "the lock file says so")
			}
			moved[folder], moved[filepath.Dir(c.to)] = true, true
		case strings.HasPrefix(c.name, "unlink") && inMemory && isTemp(filepath.Base(c.file)) && !hosts[c.file]:
			for file := range dirty {
				if wal(file) {
					fault("removed", c, "the record is durable")
				}
			}
		}
	}
	return faults
}

// What a power cut needs is durable in time, and no sync is there for nothing: without any one of them, something is
// not.
func TestOrderOfSyncs(t *testing.T) {
	for _, operation := range []string{"new", "change", "write", "undo", "restore", "commit", "accept"} {
		w := newWorld(t)
		if operation != "new" {
			w = newWorldFor(t, operation)
			w.syncsOf("new") // so that there is a database, and SQLite's log
		}
		calls := w.syncsOf(operation)
		for _, fault := range w.orderFaults(calls) {
			t.Errorf("%s: %s", operation, fault)
		}
		if !slices.ContainsFunc(calls, func(c call) bool { return strings.HasPrefix(c.name, "rename") && strings.HasSuffix(c.to, ".md") }) {
			t.Errorf("%s: nothing was put in place", operation)
		}
		dream := operation == "commit" || operation == "accept" // what it stages and notes is durable when its call has ended
		for i, c := range calls {
			ofState := strings.HasPrefix(c.file, w.state+"/") // where the state folder itself is, is ours to sync
			if !c.sync() || ofState && (dream || operation == "new" || !strings.HasSuffix(c.file, "-wal") || strings.HasSuffix(calls[i-1].text, ", 32, 0")) {
				continue // SQLite's own, of its folder and of the beginning of its log
			}
			if w.orderFaults(slices.Delete(slices.Clone(calls), i, i+1)) == nil {
				t.Errorf("%s: nothing needs the %s after %v", operation, c, calls[i-1])
			}
		}
	}
}

// A single write syncs at most 10 times, and a landing or an undo of 40 files at most 60 times: on some systems each
// sync flushes the whole disk. The first write of a project also creates the database.
func TestSyncs(t *testing.T) {
	t.Parallel()
	syncs := func(w *world, operation string) (n int) {
		for _, c := range w.syncsOf(operation) {
			if c.sync() {
				n++
			}
			if c.file == os.DevNull { // the landing begins
				n = 0
			}
		}
		t.Logf("%s: %d", operation, n)
		return n
	}
	atMost := func(most, n int, what string) {
		t.Helper()
		if n < 1 || n > most {
			t.Errorf("%s syncs %d times, want at most %d", what, n, most)
		}
	}
	w := newWorld(t)
	for _, operation := range []string{"new", "change", "again", "new again"} {
		atMost(10, syncs(w, operation), operation)
	}
	w = newWorld(t)
	for i := range 40 {
		w.put(fmt.Sprintf("topic%d.md", i), topic(fmt.Sprintf("topic%d", i), "project"))
	}
	atMost(60, syncs(w, "land"), "a landing of 40 files")
	atMost(60, syncs(w, "undo"), "an undo of 40 files")
}
