package drift

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path"
	"strings"
	"time"

	"dream-mcp/memory/lazy"
)

// Bounds of what is read of git's history: the linux repository deletes and renames 60,000 files in 8 MB.
const (
	maxHistoryTime  = 2 * time.Second
	maxHistoryBytes = 16 << 20
)

// history is what git once had and the newest commit does not have. What was deleted and came back is in it
// too: who asks looks at the project first.
type history struct {
	head      string
	gone      map[string]string   // a deleted or renamed path, and the path that it was renamed to
	bases     map[string][]string // deleted paths by their last part
	folders   map[string]bool     // of deleted paths
	manifests map[string]bool     // names in lines that were removed from manifests: scripts, targets, libraries
}

// past returns the history, nil where the project is not in git or git is not installed.
func (p *Project) past() *history {
	if p.asked {
		return p.history
	}
	p.asked = true
	head, err := p.git("rev-parse", "HEAD")
	if err != nil {
		p.history = nil
		return nil
	}
	if p.history != nil && p.history.head == string(head) {
		return p.history
	}
	h := &history{head: string(head), gone: make(map[string]string), bases: make(map[string][]string),
		folders: make(map[string]bool), manifests: make(map[string]bool)}
	p.history = h
	// What a bound cuts off is the oldest.
	names, _ := p.git("log", "--relative", "--name-status", "--diff-filter=DR", "-M100%", "--format=", "-z", "--no-ext-diff",
		"--no-textconv", "--no-show-signature", "--", ".")
	h.readNames(string(names))
	lines, _ := p.git(append([]string{"log", "--relative", "-p", "-U0", "--format=", "--no-color", "--no-ext-diff",
		"--no-textconv", "--no-show-signature", "--"}, manifestSpecs...)...)
	h.readLines(lines)
	return h
}

// sawChanges reports whether the history is more than a first commit.
func (h *history) sawChanges() bool { return h != nil && len(h.gone)+len(h.manifests) > 0 }

// git runs git in the project's folder and returns what it printed, at most maxHistoryBytes. Nothing that the
// repository configures is run: no hook, pager, diff program, signature check or file system monitor, and
// nothing is fetched. The environment is empty but for PATH, so that none of git's variables counts.
func (p *Project) git(args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), maxHistoryTime)
	defer cancel()
	safe := []string{"--no-pager", "--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull, "-c", "log.showSignature=false",
		"-c", "protocol.allow=never", "-c", "diff.external=", "-c", "core.quotePath=false", "-c", "diff.orderFile=" + os.DevNull, "-c", "log.mailmap=false"}
	c := exec.CommandContext(ctx, "git", append(safe, args...)...)
	c.Dir = p.root.Name()
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"), "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_NO_REPLACE_OBJECTS=1", "GIT_ATTR_NOSYSTEM=1"}
	c.WaitDelay = maxHistoryTime
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(out, maxHistoryBytes))
	if len(data) == maxHistoryBytes {
		cancel()
	}
	if e := c.Wait(); err == nil {
		err = e
	}
	return data, err
}

// readNames reads "D\0path\0" and "R100\0from\0to\0", the newest first.
func (h *history) readNames(text string) {
	for fields := strings.Split(text, "\x00"); len(fields) > 2; {
		status, from, to := strings.TrimSpace(fields[0]), fields[1], ""
		fields = fields[2:]
		if strings.HasPrefix(status, "R") {
			to, fields = fields[0], fields[1:]
		}
		if _, known := h.gone[from]; known || status == "" {
			continue
		}
		h.gone[from] = to
		h.bases[path.Base(from)] = append(h.bases[path.Base(from)], from)
		for folder := path.Dir(from); folder != "." && !h.folders[folder]; folder = path.Dir(folder) {
			h.folders[folder] = true
		}
	}
}

// had reports whether git once had a path, or one path that ends with it, and what became of it: the name that
// it was last renamed to.
func (h *history) had(r pathRef) (became string, once bool) {
	if h.folders[r.name] {
		return "", true
	}
	var found []string
	if _, ok := h.gone[r.name]; ok {
		found = []string{r.name}
	} else if isFile(r.name) {
		for _, other := range h.bases[path.Base(r.name)] {
			if strings.HasSuffix(other, "/"+r.name) {
				found = append(found, other)
			}
		}
	}
	if len(found) == 0 || !strings.Contains(r.name, "/") && general[strings.ToLower(stem(r.name))] {
		return "", false
	}
	const most = 20 // renames of one file
	for became, n := h.gone[found[0]], 0; n < most && len(found) == 1; n++ {
		next, again := h.gone[became]
		if !again {
			return became, true
		}
		became = next
	}
	return "", true
}

// removedName is the name in a removed line of a manifest: a key of JSON, a target, a requirement.
var removedName = lazy.New(`^-\s*(?:"(@?[A-Za-z][\w./:@-]*)"\s*:|["']?([A-Za-z][\w.:-]*\w)(?:\[[\w,-]*\])?\s*(?:[<>=~!]=|\s=\s|:\s*$|:\s[^/]|$))`)

// readLines reads the removed lines of a patch.
func (h *history) readLines(patch []byte) {
	for line := range bytes.Lines(patch) {
		if m := removedName.FindSubmatch(bytes.TrimRight(line, "\r\n")); m != nil {
			h.manifests[string(m[1])+string(m[2])] = true
		}
	}
}
