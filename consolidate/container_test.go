//go:build linux

package consolidate

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dream-mcp/consolidate/lock"
)

// contained lets cmd run as the first process of a PID namespace of its own, as in a container.
func contained(cmd *exec.Cmd) {
	unshare, _ := exec.LookPath("unshare")
	cmd.Args = append([]string{unshare, "--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc"}, cmd.Args...)
	cmd.Path = unshare
}

func skipUncontained(t *testing.T) {
	t.Helper()
	cmd := exec.Command("true")
	if contained(cmd); cmd.Path == "" {
		t.Skip("there is no unshare")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("no namespaces can be made here: %v: %s", err, out)
	}
}

// run runs an operation in a container of its own, and returns what it said last.
func (w *world) runContained(c child) string {
	cmd, _, out := w.startAs(c, contained)
	said, _ := io.ReadAll(out)
	cmd.Wait()
	return strings.TrimSpace(string(said))
}

// A container dreams: nobody else does, outside or in a second container, though the PIDs of all
// containers are the same few. It is killed, and whoever comes next ends its dream.
func TestContainers(t *testing.T) {
	skipUncontained(t)
	for _, next := range []string{"outside", "another container"} {
		t.Run(next, func(t *testing.T) {
			t.Parallel()
			w := newWorldFor(t, "commit")
			cmd, _, out := w.startAs(child{Hold: true, Die: -1}, contained)
			if line, _ := out.ReadString('\n'); line != "holds <nil>\n" {
				t.Fatal(line)
			}
			if got := w.hostStamp(); !strings.HasPrefix(got, strconv.Quote("1")+" ") {
				t.Errorf("the dream of a container has the lock %s, want PID 1", got)
			}
			p := w.open()
			var busy *lock.BusyError
			if err := p.Begin(ctx, true, false); !errors.As(err, &busy) || busy.Moment {
				t.Errorf("a dream beside a container's: %v", err)
			}
			if err := writeNew(p, "x.md"); !errors.As(err, &busy) {
				t.Errorf("a write beside a container's dream: %v", err)
			}
			for _, operation := range []string{"commit", "write"} {
				if said := w.runContained(child{Script: operation, Die: -1}); !strings.Contains(said, "the memory is in use") {
					t.Errorf("%s in another container %s", operation, said)
				}
			}
			cmd.Process.Kill()
			io.Copy(io.Discard, out) // its namespace has ended when nobody holds its output
			cmd.Wait()
			if next != "outside" {
				if said := w.runContained(child{Script: "write", Die: -1}); said != "ended with <nil>" {
					t.Errorf("another container: %s", said)
				}
			}
			if err := p.Recover(ctx); err != nil {
				t.Fatal(err)
			}
			if got, want := w.hostStamp(), fmt.Sprintf("%q %s", "", prior.Format("2006-01-02T15:04:05Z")); got != want {
				t.Errorf("the lock is %s, want %s", got, want)
			}
			if err := p.Begin(ctx, true, false); err != nil {
				t.Errorf("a dream afterwards: %v", err)
			}
		})
	}
}

// A process outside holds the lock: the PID 1 of a container is not kept from it by its number alone.
func TestContainerBesideAProcess(t *testing.T) {
	skipUncontained(t)
	w := newWorldFor(t, "commit")
	cmd, in, out := w.start(child{Hold: true, Die: -1})
	if line, _ := out.ReadString('\n'); line != "holds <nil>\n" {
		t.Fatal(line)
	}
	if said := w.runContained(child{Script: "commit", Die: -1}); !strings.Contains(said, "the memory is in use") {
		t.Errorf("in a container: %s", said)
	}
	in.Write([]byte("\n"))
	cmd.Wait()
	if said := w.runContained(child{Script: "commit", Die: -1}); said != "ended with <nil>" {
		t.Errorf("in a container, afterwards: %s", said)
	}
}

// A container is killed at each step of a commit, and the host ends what it left.
func TestContainerKilled(t *testing.T) {
	skipUncontained(t)
	whole := runWhole(t, "commit")
	steps := stepsOf(t, "commit")
	for _, at := range []string{"record", "claimed", "mark", "updated a.md", "updated MEMORY.md", "stamp", "clear"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			w := newWorldFor(t, "commit")
			if said := w.runContained(child{Script: "commit", Die: slices.Index(steps, at)}); said != "died at "+at {
				t.Fatal(said)
			}
			w.checkRecovered("commit", "killed in a container at "+at, whole)
		})
	}
}
