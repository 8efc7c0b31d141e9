package drift

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"strings"
	"time"
)

// Bounds of what is read of git's history: the linux repository deletes and renames 60,000 files in 8 MB.
const (
	maxHistoryTime  = 2 * time.Second // of one run
	maxHistoryBytes = 16 << 20

	maxAskTime     = 10 * time.Second // of one Find; the next continues
	maxAnswers     = 400
	maxAnswerBytes = 128 << 10
)

// history is what git once had and the newest commit does not have. What was deleted and came back is in it
// too: who asks looks at the project first.
type history struct {
	commit  string // the newest, abbreviated
	date    time.Time
	gone    map[string]departure // by path
	bases   map[string][]string  // deleted paths by their last part
	folders map[string]departure // of deleted paths
	answers map[string]answer    // of git, by its arguments
}

// answer is what git printed, if it ended well.
type answer struct {
	text string
	ok   bool
}

// departure is the last commit that deleted or renamed a path.
type departure struct {
	by string // "commit 0f3b9c8 of 2026-11-16"
	to string // the new name, "" where it is not known
}

// past returns the history, nil where the project is not in git or git is not installed.
func (p *Project) past() *history {
	if p.asked {
		return p.history
	}
	if p.quiet {
		p.unknown = true
		return nil
	}
	head, err := p.run(maxHistoryBytes, "log", "-1", "--format=%h %cs", "--no-show-signature")
	commit, day, _ := strings.Cut(strings.TrimSpace(head), " ")
	switch {
	case err != nil:
		p.history = nil
	case p.history == nil || p.history.commit != commit:
		p.history = p.readHistory(commit, day)
	}
	p.asked = true
	return p.history
}

// readHistory reads the history up to a commit of some day.
func (p *Project) readHistory(commit, day string) *history {
	h := &history{commit: commit, gone: make(map[string]departure), bases: make(map[string][]string),
		folders: make(map[string]departure), answers: make(map[string]answer)}
	h.date, _ = time.Parse(time.DateOnly, day)
	// What a bound cuts off is the oldest.
	names, _ := p.run(maxHistoryBytes, "log", "--relative", "--name-status", "--diff-filter=DR", "-M100%", "--format=%x01%h of %cs", "-z", "--no-ext-diff",
		"--no-textconv", "--no-show-signature", "--", ".")
	for record := range strings.SplitSeq(names, "\x01") {
		h.readCommit(record)
	}
	return h
}

// sawChanges reports whether the history is more than a first commit.
func (h *history) sawChanges() bool { return h != nil && len(h.gone) > 0 }

// git returns what git answered, or answers now, "" if it does not or is not asked.
func (p *Project) git(args ...string) string {
	var a answer
	if h, key := p.past(), strings.Join(args, "\x00"); h != nil {
		known := false
		if a, known = h.answers[key]; !known && !p.quiet && len(h.answers) < maxAnswers && time.Now().Before(p.until) {
			out, err := p.run(maxAnswerBytes, args...)
			a = answer{out, err == nil}
			h.answers[key] = a
		}
	}
	p.unknown = p.unknown || !a.ok
	return a.text
}

// detail is git for what a finding says beside: it does not depend on the answer.
func (p *Project) detail(args ...string) string {
	unknown := p.unknown
	text := p.git(args...)
	p.unknown = unknown
	return text
}

// run runs git in the project's folder and returns what it printed, at most limit bytes, and an error if that is not
// all. Exit status 1 is an answer. Nothing that the repository configures is run: no hook, pager, diff program,
// signature check or file system monitor, and nothing is fetched. The environment is empty but for PATH, so that none
// of git's variables counts. The mutex, which the caller holds, is released meanwhile.
func (p *Project) run(limit int, args ...string) (string, error) {
	p.mu.Unlock()
	defer p.mu.Lock()
	ctx, cancel := context.WithTimeout(context.Background(), maxHistoryTime)
	defer cancel()
	safe := []string{"--no-pager", "--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull, "-c", "log.showSignature=false",
		"-c", "protocol.allow=never", "-c", "diff.external=", "-c", "core.quotePath=false", "-c", "diff.orderFile=" + os.DevNull, "-c", "log.mailmap=false"}
	c := exec.CommandContext(ctx, "git", append(safe, args...)...)
	c.Dir = p.root.Name()
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"), "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_NO_REPLACE_OBJECTS=1", "GIT_ATTR_NOSYSTEM=1"}
	c.WaitDelay = time.Second // for programs that git started and that have its output
	out := beginning{limit: limit}
	c.Stdout = &out
	err := c.Run()
	if exit, is := errors.AsType[*exec.ExitError](err); is && exit.ExitCode() == 1 {
		err = nil
	}
	return out.String(), err
}

// beginning keeps the first bytes that are written, and fails at more.
type beginning struct {
	strings.Builder
	limit int
}

func (b *beginning) Write(data []byte) (n int, err error) {
	if n = min(len(data), b.limit-b.Len()); n < len(data) {
		err = io.ErrShortWrite
	}
	b.Builder.Write(data[:n])
	return n, err
}

// lastChange returns the last commit that added or removed a line that matches an expression, in some files: "commit
// 0f3b9c8 of 2026-11-16", or "".
func (p *Project) lastChange(expression, files string) string {
	if p.past() == nil {
		return ""
	}
	return strings.TrimSpace(p.git("log", "-1", "--format=commit %h of %cs", "--no-ext-diff", "--no-textconv", "--no-show-signature", "-G"+expression, "--", files))
}

// renamed returns the name that the commit which removed a file gave to one that is like it, "" if there is none.
func (p *Project) renamed(name, by string) string {
	out := p.detail("show", "--relative", "--format=", "--name-status", "--diff-filter=R", "-M60%", "-z", "--no-ext-diff", "--no-textconv",
		"--no-show-signature", strings.Fields(by)[1])
	for fields := strings.Split(out, "\x00"); len(fields) > 2; fields = fields[3:] {
		if fields[1] == name {
			return fields[2]
		}
	}
	return ""
}

// readCommit reads "HASH of DAY\0\nD\0path\0R100\0from\0to\0"; commits come the newest first.
func (h *history) readCommit(record string) {
	fields := strings.Split(record, "\x00")
	by := "commit " + fields[0]
	for fields = fields[1:]; len(fields) > 1; {
		status, from, to := strings.TrimSpace(fields[0]), fields[1], ""
		fields = fields[2:]
		if strings.HasPrefix(status, "R") && len(fields) > 0 {
			to, fields = fields[0], fields[1:]
		}
		h.leave(from, departure{by, to})
	}
}

func (h *history) leave(from string, d departure) {
	if _, known := h.gone[from]; known {
		return
	}
	h.gone[from] = d
	h.bases[path.Base(from)] = append(h.bases[path.Base(from)], from)
	for folder := path.Dir(from); folder != "."; folder = path.Dir(folder) {
		known, ok := h.folders[folder]
		if ok && (known.to != "" || known.by != d.by) {
			break
		}
		to, moved := strings.CutSuffix(d.to, strings.TrimPrefix(from, folder))
		if !moved {
			to = ""
		}
		h.folders[folder] = departure{d.by, to}
	}
}

// had returns the path that git once had under a name: that path, or one that ends with it, and the commit that removed
// it.
func (h *history) had(name string) (was, by string, ok bool) {
	if d, ok := h.gone[name]; ok {
		return name, d.by, true
	}
	if d, ok := h.folders[name]; ok {
		return name, d.by, strings.Contains(name, "/")
	}
	if !isFile(name) || !strings.Contains(name, "/") && len(stem(name)) < minBare {
		return "", "", false
	}
	var found []string
	for _, other := range h.bases[path.Base(name)] {
		if strings.HasSuffix(other, "/"+name) {
			found = append(found, other)
		}
	}
	if len(found) == 0 || len(found) > 1 && !strings.Contains(name, "/") {
		return "", "", false
	}
	return found[0], h.gone[found[0]].by, true
}

// minBare is the least length, in bytes, of the stem of a file that is named without its folder: shorter ones are in
// many projects.
const minBare = 6

// became returns the last name of what git once had, "" where it is not known.
func (h *history) became(name string) string {
	const most = 20 // renames of one file
	at := h.gone
	if _, ok := at[name]; !ok {
		at = h.folders
	}
	d := at[name]
	for range most {
		next, again := at[d.to]
		if !again {
			return d.to
		}
		d = next
	}
	return ""
}
