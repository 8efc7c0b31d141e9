package hook

import (
	"bytes"
	"hash/fnv"
	"io"
	"os"
	"slices"
	"strconv"
	"time"

	"dream-mcp/consolidate/hostlock"
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
		s.Was = leads(path)
		return s
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		s.Was = "absent"
	case info.IsDir() && aspect != "listing":
		s.Was = "directory"
	default:
		s.Was = info.Mode().Type().String() + " " + strconv.FormatInt(info.Size(), 10) + " " + strconv.FormatInt(info.ModTime().UnixNano(), 10)
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
	Throttle = "throttle.json" // the last scan of a hook that found too few sessions
	Due      = "due.json"      // the last count that found enough
	Untold   = "untold.json"   // what a person has not heard of yet
	Offer    = "offer.json"    // until when no dream is offered
	Launch   = "launch.json"   // until when no background dream is started
	Ended    = "ended.json"    // what the end of a session taught, and no model has been told of
)

// CacheFile is where a Known is kept for a command line and a directory.
func CacheFile(args []string, dir string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	sum := fnv.New64a()
	for _, word := range append(slices.Clone(args), dir) {
		sum.Write([]byte(word + "\x00"))
	}
	return join(cache, "dream-mcp", "hook", strconv.FormatUint(sum.Sum64(), 16)+".json"), nil
}

// Options returns the words of a command line that set something: all but the host's JSON.
func Options(args []string) []string {
	return slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return value(arg).is('{') })
}

// Where is the directory that an event is about: what the host says, else where we are.
func (e Event) Where() string {
	if e.Dir != "" {
		return e.Dir
	}
	dir, _ := os.Getwd()
	return dir
}

// Recall returns what is known for an event, without what that was resolved from, if it still holds.
func Recall(args []string, e Event) (k Known, ok bool) {
	args = Options(args)
	path, err := CacheFile(args, e.Where())
	if err != nil {
		return Known{}, false
	}
	o := note(path, maxKnown)
	if o.at("dir").text() != e.Where() || !slices.Equal(o.at("args").texts(), args) {
		return Known{}, false
	}
	for env := o.at("env").object(); len(env) > 0; env = env[2:] {
		if os.Getenv(env[0].text()) != env[1].text() {
			return Known{}, false
		}
	}
	for _, v := range o.at("seen").list() {
		s := v.object()
		if See(s.at("path").text(), s.at("aspect").text()).Was != s.at("was").text() {
			return Known{}, false
		}
	}
	return Known{
		MemoryDir: o.at("memory_dir").text(), StateDir: o.at("state_dir").text(), Enabled: o.at("enabled").holds(), Suggest: o.at("suggest").holds(),
		MinHours: o.at("min_hours").number(), MinSessions: int(o.at("min_sessions").number()),
	}, true
}

// Quiet reports whether there is nothing to be done at an event. A session that ends is heard once, and what is to be told
// is told at a start, whether or not a dream is due.
func (k Known) Quiet(e Event, now time.Time) bool {
	switch {
	case !k.Enabled:
		return true
	case e.Moment == End && e.Path != "",
		e.Moment == Start && (exists(join(k.StateDir, Untold)) || exists(join(k.StateDir, Ended))):
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
	path := join(k.MemoryDir, hostlock.Name)
	info, err := os.Lstat(path)
	if os.IsNotExist(err) {
		return time.Time{}, true
	}
	if err != nil || !info.Mode().IsRegular() {
		return time.Time{}, false
	}
	if info.Size() == 0 {
		return info.ModTime(), true
	}
	body := tail(path, 0, maxNote)
	if body == nil || info.Size() > maxNote {
		return time.Time{}, false
	}
	text := hostlock.Parse(body)
	if text.PID != 0 { // whether that is a dream of ours, our own lock file says
		if ours, err := os.Lstat(join(k.MemoryDir, ".dream.lock")); err == nil && ours.Size() > 1 || err != nil && !os.IsNotExist(err) {
			return time.Time{}, false
		}
	}
	if text.TwoLines {
		return text.Time, true
	}
	return info.ModTime(), true
}

// throttleSpan is the time between two scans that find too few sessions.
const throttleSpan = 10 * time.Minute

func (k Known) throttled(since, now time.Time) bool {
	last, ok := k.scanned(Throttle)
	age := now.Sub(last.at)
	return ok && age >= 0 && age < throttleSpan && last.found < k.MinSessions && last.since.Equal(since)
}

// scan is what was found when the sessions were last counted.
type scan struct {
	at    time.Time
	found int
	since time.Time // zero where there was no consolidation
}

func (k Known) scanned(file string) (s scan, ok bool) {
	o := note(join(k.StateDir, file), maxNote)
	s.at, s.found = o.at("time").time(), int(o.at("found").number())
	if since := o.at("since").object(); since.at("exists").holds() {
		s.since = since.at("time").time()
	}
	return s, o != nil
}

// waits reports whether we have said that we would wait: a day at most, or min_hours after an undo. What was said for half a
// day more than that was said by a clock that is wrong.
func (k Known) waits(now time.Time) bool {
	name := Launch
	if k.Suggest {
		name = Offer
	}
	after := note(join(k.StateDir, name), maxNote).at("after").time()
	return now.Before(after) && after.Sub(now).Hours() < max(24, k.MinHours)+12
}

// note returns the fields of a small file that holds one object, nil where it is not there or not whole.
func note(path string, limit int64) object {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > limit {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return nil
	}
	return only(data)
}

// only returns the fields of the object that a text is, nil where it is none, or more.
func only(text []byte) object {
	v, rest := parse(text)
	if len(bytes.Trim(rest, space)) > 0 {
		return nil
	}
	return v.object()
}

// join makes a path.
func join(path string, parts ...string) string {
	for _, part := range parts {
		path += string(os.PathSeparator) + part
	}
	return path
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
