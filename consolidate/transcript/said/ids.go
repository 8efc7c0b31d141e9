package said

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode/utf8"

	"dream-mcp/memory/lazy"
)

var uuidPattern = lazy.New(`^(?i:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$`)

// IsUUID reports whether a name is a UUID, in upper or lower case.
func IsUUID(name string) bool { return len(name) == 36 && uuidPattern.MatchString(name) }

// IsPlainName reports whether the name of a transcript may be in an ID as it is: it is at most 64 ASCII letters,
// digits, ".", "_" and "-".
func IsPlainName(name string) bool { return len(name) <= 64 && namePattern.MatchString(name) }

var namePattern = lazy.New(`^[A-Za-z0-9._-]+$`) // a counted repetition would be compiled slowly, at every start

// shortName is how many characters of a session's UUID an id carries: 44 bits, so that two sessions
// in a thousand share an id once in 35 million projects.
const shortName = 12

// key returns the name of a session of the host among those of all hosts: its ID, after the host's own where that is
// not Claude Code.
func (h HostID) key(id string) string {
	if h == ClaudeCode {
		return id
	}
	return string(h) + "/" + id
}

// Unnamed returns the host's ID if the keys of its sessions do not have it.
func (h HostID) Unnamed() string {
	if h == ClaudeCode {
		return string(h)
	}
	return ""
}

// cutKey returns what is before the ID in a session's key, and the ID.
func cutKey(key string) (host, id string) {
	at := strings.IndexByte(key, '/') + 1
	return key[:at], key[at:]
}

// IsKey reports whether a name may be the key of a session that IDs have as it is.
func IsKey(name string) bool {
	host, id := cutKey(name)
	return IsPlainName(id) && (host == "" || hostPattern.MatchString(host))
}

var hostPattern = lazy.New(`^[a-z]+(?:-[a-z]+)*/$`)

// ShortID is what an ID has of a session's key: the beginning of a UUID, any other plain name as it is (names
// that people give often begin alike), and a sum of what is not plain.
func ShortID(key string) string {
	host, id := cutKey(key)
	switch {
	case IsUUID(id):
		return host + id[:shortName]
	case IsPlainName(id):
		return key
	}
	sum := sha256.Sum256([]byte(id))
	return host + "x" + hex.EncodeToString(sum[:])[:shortName]
}

var idForm = lazy.New(`^([^:]+):([1-9][0-9]{0,9})(?:\.([1-9][0-9]{0,5}))?$`)

// CutID returns an id, what names its session, its line and its place on it; nil for a text of another form.
func CutID(id string) []string {
	form := idForm.FindStringSubmatch(id)
	if form == nil {
		return nil
	}
	if n := utf8.RuneCountInString(form[1]); n < 4 || n > 128 {
		return nil
	}
	return form
}

// HitID names an utterance: the key of its session, line, and its place on the line where it is not the first.
func HitID(session string, line, place int) string {
	id := ShortID(session) + ":" + strconv.Itoa(line)
	if place > 1 {
		id += "." + strconv.Itoa(place)
	}
	return id
}

// Source names an utterance for as long as its transcript exists: by the whole name of its session, where an ID may
// contain that, and its line. Lookup takes it.
func (u Utterance) Source() string {
	if !IsKey(u.Session) {
		return u.ID
	}
	return u.Session + u.ID[strings.LastIndexByte(u.ID, ':'):]
}
