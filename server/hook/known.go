package hook

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Known is what was resolved for a directory, and all that it was resolved from.
type Known struct {
	Args []string          `json:"args"`
	Dir  string            `json:"dir"`
	Env  map[string]string `json:"env"`
	Seen []Seen            `json:"seen"`

	MemoryDir   string  `json:"memory_dir"`
	StateDir    string  `json:"state_dir"`
	Enabled     bool    `json:"enabled"`
	Suggest     bool    `json:"suggest"` // nothing but offers, at a session's start
	MinHours    float64 `json:"min_hours"`
	MinSessions int     `json:"min_sessions"`
}

// Seen is a path, the aspect of it that counted ("file", "listing", "link"), and how it was.
type Seen struct {
	Path   string `json:"path"`
	Aspect string `json:"aspect"`
	Was    string `json:"was"`
}

// See looks at an aspect of a path: of a file its size and time, of a directory that it is one, and for a listing its time
// too, of a link where it leads.
func See(path, aspect string) Seen {
	s := Seen{Path: path, Aspect: aspect}
	if aspect == "link" {
		s.Was, _ = filepath.EvalSymlinks(path)
		return s
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		s.Was = "absent"
	case info.IsDir() && aspect != "listing":
		s.Was = "directory"
	default:
		s.Was = fmt.Sprint(info.Mode().Type(), info.Size(), info.ModTime().UnixNano())
	}
	return s
}

// Bounds of what is read.
const (
	maxKnown = 256 << 10
	maxNote  = 8 << 10
)

// Names of files in the state folder of a memory, as package consolidate writes them.
const (
	Throttle = "throttle.json"
	Untold   = "untold.json" // what a person has not heard of yet
	Offer    = "offer.json"  // until when no dream is offered
	Launch   = "launch.json" // until when no background dream is started
	Ended    = "ended.json"  // what the end of a session taught, and no model has been told of
)

// CacheFile is where a Known is kept for a command line and a directory.
func CacheFile(args []string, dir string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	sum := fnv.New64a()
	fmt.Fprintf(sum, "%q %q", args, dir)
	return filepath.Join(cache, "dream-mcp", "hook", fmt.Sprintf("%016x.json", sum.Sum64())), nil
}

// Options returns the words of a command line that set something: all but the host's JSON.
func Options(args []string) []string {
	return slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return strings.HasPrefix(arg, "{") })
}

// Where is the directory that an event is about: what the host says, else where we are.
func (e Event) Where() string {
	if e.Dir != "" {
		return e.Dir
	}
	dir, _ := os.Getwd()
	return dir
}

// Recall returns what is known for an event, if it still holds.
func Recall(args []string, e Event) (k Known, ok bool) {
	args = Options(args)
	path, err := CacheFile(args, e.Where())
	if err != nil || !note(path, maxKnown, &k) || k.Dir != e.Where() || !slices.Equal(k.Args, args) {
		return Known{}, false
	}
	for name, value := range k.Env {
		if os.Getenv(name) != value {
			return Known{}, false
		}
	}
	for _, s := range k.Seen {
		if See(s.Path, s.Aspect) != s {
			return Known{}, false
		}
	}
	return k, true
}

// Quiet reports whether there is nothing to be done at an event. A session that ends is heard once, and what is to be told
// is told at a start, whether or not a dream is due.
func (k Known) Quiet(e Event, now time.Time) bool {
	switch {
	case !k.Enabled:
		return true
	case e.Moment == End && e.Path != "",
		e.Moment == Start && (exists(filepath.Join(k.StateDir, Untold)) || exists(filepath.Join(k.StateDir, Ended))):
		return false
	}
	return k.Closed(e, now)
}

// Closed reports whether no dream can begin at an event: a gate of those that cost a look is closed, or we have
// said that we would wait.
func (k Known) Closed(e Event, now time.Time) bool {
	if !k.Enabled {
		return true
	}
	if k.Suggest && e.Moment != Start {
		return true
	}
	since, known := k.consolidated()
	if !known {
		return false
	}
	if !since.IsZero() {
		if age := now.Sub(since); age >= 0 && age.Hours() < k.MinHours {
			return true
		}
	}
	return k.throttled(since, now) || k.waits(now)
}

// consolidated returns the time of the last consolidation, zero for none. It is not known where a dream may be open, or
// have crashed.
func (k Known) consolidated() (since time.Time, known bool) {
	info, err := os.Lstat(filepath.Join(k.MemoryDir, ".consolidate-lock"))
	if os.IsNotExist(err) {
		return time.Time{}, true
	}
	if err != nil || !info.Mode().IsRegular() {
		return time.Time{}, false
	}
	if info.Size() > 0 { // whose it is stands in our own
		if ours, err := os.Lstat(filepath.Join(k.MemoryDir, ".dream.lock")); err == nil && ours.Size() > 1 || err != nil && !os.IsNotExist(err) {
			return time.Time{}, false
		}
	}
	return info.ModTime(), true
}

// throttleSpan is the time between two scans that find too few sessions.
const throttleSpan = 10 * time.Minute

func (k Known) throttled(since, now time.Time) bool {
	last, ok := k.scanned()
	age := now.Sub(last.Time)
	return ok && age >= 0 && age < throttleSpan && last.Found < k.MinSessions && last.of(since)
}

// scan is what was found when the sessions were last counted.
type scan struct {
	Time  time.Time `json:"time"`
	Found int       `json:"found"`
	Since struct {
		Exists bool      `json:"exists"`
		Time   time.Time `json:"time"`
	} `json:"since"`
}

func (k Known) scanned() (s scan, ok bool) {
	ok = note(filepath.Join(k.StateDir, Throttle), maxNote, &s)
	return s, ok
}

// of reports whether the sessions were counted since a consolidation.
func (s scan) of(since time.Time) bool {
	return s.Since.Exists != since.IsZero() && s.Since.Time.Equal(since)
}

// waits reports whether we have said that we would wait. What was said for longer than a day and a half ahead was said by a
// clock that is wrong.
func (k Known) waits(now time.Time) bool {
	name := Launch
	if k.Suggest {
		name = Offer
	}
	var said struct {
		After time.Time `json:"after"`
	}
	return note(filepath.Join(k.StateDir, name), maxNote, &said) && now.Before(said.After) && said.After.Sub(now) < 36*time.Hour
}

// note reads a small file of JSON, and reports whether it is there and whole.
func note(path string, limit int64, v any) bool {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || info.Size() > limit {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit))
	return err == nil && json.Unmarshal(data, v) == nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
