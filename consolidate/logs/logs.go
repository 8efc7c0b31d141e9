// Package logs reads the logs that a host writes beside the memories, of a day or a session. It never writes one.
package logs

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"dream-mcp/memory"
	"dream-mcp/memory/lazy"
)

// Limits of the logs in a map. A dream begins with the logs of the last one to three days.
const (
	logDays       = 3     // days that have a log, the newest
	maxLogExcerpt = 800   // bytes of an excerpt
	maxLogText    = 2_000 // bytes of all excerpts
)

// Log is a log that the host writes beside the memories, of a day or a session. We only read it.
type Log struct {
	memory.Found
	Day     string // such as 2026-11-18, from its name, else from its modification time
	Excerpt string // its last lines, masked; only of the newest days
	Before  int    // lines before the excerpt
	Tools   int    // omitted lines about tools
	Err     error  // why it could not be read
}

// logDay finds the day in the names that hosts give: logs/2026/11/2026-11-18.md, and
// logs/2026/11/18/ID-title.md since Claude Code 2.1.120.
var logDay = lazy.New(`^[a-z]+/(\d{4})/(\d\d)/(?:\d{4}-\d\d-)?(\d\d)(?:\.md$|/)`)

// dayOf returns the day of a log: that in its name, unless it is in the future, else that of its modification time.
func dayOf(f memory.Found, now time.Time) string {
	if m := logDay.FindStringSubmatch(strings.ToLower(f.Name.String())); m != nil {
		day := m[1] + "-" + m[2] + "-" + m[3]
		if t, err := time.Parse(time.DateOnly, day); err == nil && t.Before(now.Add(24*time.Hour)) {
			return day
		}
	}
	return f.ModTime.In(now.Location()).Format(time.DateOnly)
}

// Read sorts logs, the newest first, and reads excerpts of those of the newest days.
func Read(dir *memory.Dir, found []memory.Found, now time.Time) []Log {
	logs := make([]Log, len(found))
	for i, f := range found {
		logs[i] = Log{Found: f, Day: dayOf(f, now)}
	}
	slices.SortFunc(logs, func(a, b Log) int {
		return cmp.Or(strings.Compare(b.Day, a.Day), b.ModTime.Compare(a.ModTime), a.Name.Compare(b.Name))
	})
	room, days, last := maxLogText, 0, ""
	for i := range logs {
		l := &logs[i]
		if l.Day != last {
			days, last = days+1, l.Day
		}
		if days > logDays || room <= 0 {
			break
		}
		f, err := dir.Read(l.Name)
		if err != nil {
			l.Err = err
			continue
		}
		l.excerpt(dir.AllowSecrets.View(string(f.Data)).Text, min(room, maxLogExcerpt))
		room -= len(l.Excerpt)
	}
	return logs
}

// excerpt sets the excerpt to the last lines that fit into most bytes, or the beginning of a longer last line. In logs
// whose lines are marked by kind, it omits lines about tools, which are frequent and of little use.
func (l *Log) excerpt(text string, most int) {
	lines := strings.Split(strings.TrimRight(text, " \t\r\n"), "\n")
	marked := slices.ContainsFunc(lines, func(line string) bool {
		return strings.HasPrefix(line, "> ") || strings.HasPrefix(line, "< ")
	})
	var taken []string
	size := 0
	for i, line := range slices.Backward(lines) {
		line = strings.TrimRight(line, " \t\r")
		if line == "" {
			continue
		}
		if marked && strings.HasPrefix(line, ". ") {
			l.Tools++
			continue
		}
		if size+len(line) >= most {
			if len(taken) > 0 {
				l.Before = i + 1
				break
			}
			line = strings.ToValidUTF8(line[:most-1], "") + "…"
		}
		size += len(line) + 1
		taken = append(taken, line)
	}
	slices.Reverse(taken)
	l.Excerpt = strings.Join(taken, "\n")
}
