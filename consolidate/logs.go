package consolidate

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"dream-mcp/memory"
)

// What a map says of logs: a dream begins with those of the last one to three days (FACTS 3).
const (
	logDays       = 3     // the newest days that have a log
	maxLogExcerpt = 1_500 // bytes of the end of one log
	maxLogText    = 6_000 // bytes of all
)

// Log is a log that the host keeps beside the memories: of a day, or of a session. It is read and never
// written.
type Log struct {
	memory.Found
	Day     string // 2026-11-18: that of its name, else that of its last change
	Excerpt string // its last lines, masked; empty unless it is of the newest days
	Before  int    // lines that come before those of the excerpt
	Tools   int    // lines on tools among them, and between them, that were left out
	Err     error  // it could not be read
}

// logDay finds the day in the names that hosts give: logs/2026/11/2026-11-18.md, and
// logs/2026/11/18/ID-title.md since 2.1.120 (FACTS 0).
var logDay = regexp.MustCompile(`^[a-z]+/(\d{4})/(\d\d)/(?:\d{4}-\d\d-)?(\d\d)(?:\.md$|/)`)

// dayOf returns the day of a log. A name without a day, or with one in the future, has none.
func dayOf(f memory.Found, now time.Time) string {
	if m := logDay.FindStringSubmatch(strings.ToLower(f.Name.String())); m != nil {
		day := m[1] + "-" + m[2] + "-" + m[3]
		if t, err := time.Parse(time.DateOnly, day); err == nil && t.Before(now.Add(24*time.Hour)) {
			return day
		}
	}
	return f.ModTime.In(now.Location()).Format(time.DateOnly)
}

// readLogs puts logs in order, the newest first, and reads the ends of those of the newest days.
func readLogs(dir *memory.Dir, found []memory.Found, now time.Time) []Log {
	logs := make([]Log, len(found))
	for i, f := range found {
		logs[i] = Log{Found: f, Day: dayOf(f, now)}
	}
	slices.SortFunc(logs, func(a, b Log) int {
		if c := strings.Compare(b.Day, a.Day); c != 0 {
			return c
		}
		if c := b.ModTime.Compare(a.ModTime); c != 0 {
			return c
		}
		return strings.Compare(a.Name.String(), b.Name.String())
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

// excerpt takes the last lines that fit in so many bytes; of a longer line alone, its beginning. Lines
// on tools are left out where the lines carry marks: they are most of such a log, and tell the least.
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
