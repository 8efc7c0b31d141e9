package settings

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"dream-mcp/memory/lazy"
)

// An option is a key of config.json.
type option struct {
	key, want string                            // want describes its values
	variable  bool                              // DREAM_KEY sets it too
	parse     func(json.RawMessage) (any, bool) // false for another value
}

// options are all keys but "projects". No variable sets what is spent or what is started in the background.
var options = []option{
	{"mode", "text", true, parse(func(string) bool { return true })},
	{"min_hours", fmt.Sprintf("number between 0 and %d", MaxHours), true, parse(between(0.0, MaxHours))},
	{"min_sessions", fmt.Sprintf("whole number between 0 and %d", MaxSessions), true, parse(between(0, MaxSessions))},
	{"max_archive_mib", fmt.Sprintf("whole number between 1 and %d", maxMiB), false, parse(between(1, maxMiB))},
	{"memory_dir", "path", true, parse(func(s string) bool { return s != "" })},
	{"transcripts", "list of folders", true, parse(func([]string) bool { return true })},
	{"hosts", "list of hosts", false, parse(func([]string) bool { return true })},
	{"allow_secrets", "list of the beginnings (12 hex digits or more) of SHA-256 sums", false, parse(func(sums []string) bool {
		return !slices.ContainsFunc(sums, func(s string) bool { return !isAllowedSum(s) })
	})},
	{"recall", "level (off, start, prompt or all), nor an object of levels by host", false, parse(recallLevels.valid)},
	{"max_turns", fmt.Sprintf("whole number between 1 and %d", maxTurns), false, parse(between(1, maxTurns))},
	{"max_minutes", fmt.Sprintf("number above 0 and up to %d", maxMinutes), false, parse(func(m float64) bool { return m > 0 && m <= maxMinutes })},
	{"max_usd", fmt.Sprintf("number between 0 (no limit) and %d", maxUSD), false, parse(between(0.0, maxUSD))},
	{"model", "name of a model", false, parse(func(s string) bool { return s != "" && !strings.HasPrefix(s, "-") })},
	{"background_command", "list of a program and its arguments", false, parse(func(words []string) bool {
		return 0 < len(words) && len(words) <= maxWords && words[0] != ""
	})},
}

// parse returns a function that decodes a value of type T and checks it.
func parse[T any](valid func(T) bool) func(json.RawMessage) (any, bool) {
	return func(raw json.RawMessage) (any, bool) {
		var v T
		err := json.Unmarshal(raw, &v)
		return v, err == nil && valid(v)
	}
}

func between[T int | float64](from, to T) func(T) bool {
	return func(n T) bool { return from <= n && n <= to }
}

// Bounds on the numbers. A time.Duration holds 2.5 million hours; a dream's lease expires after an hour without a call.
const (
	MaxHours    = 1_000_000
	MaxSessions = 1_000_000
	maxMiB      = 1 << 30
	maxTurns    = 10_000
	maxMinutes  = 24 * 60
	maxUSD      = 1_000
	maxWords    = 100
)

// isAllowedSum reports whether s is the beginning of a SHA-256 sum, by which a person names a value that is not a
// secret.
func isAllowedSum(s string) bool { return 12 <= len(s) && len(s) <= 64 && hexadecimal.MatchString(s) }

var hexadecimal = lazy.New(`^[0-9a-f]+$`)
