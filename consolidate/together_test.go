//go:build linux

package consolidate

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

var togetherFor = flag.Duration("together", time.Second, "how long TestTogether lets its processes work")

// The processes of TestTogether, by what they do.
var crowd = []struct {
	role  string
	count int
}{
	{"dreamer", 8}, {"writer", 12}, {"undoer", 4}, // ours, and killed at random
	{"host", 3},    // Claude Code, by its lock's protocol
	{"foreign", 3}, // editors that know of no lock
	{"meddler", 2}, // editors that know when a file is about to be replaced
}

// Dozens of processes work on one memory directory, and are killed at random. What each did is in
// a history of its own, and the laws of a chronicle decide afterwards whether all was well.
func TestTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	os.RemoveAll(w.memory)
	os.Mkdir(w.memory, 0o700)
	var index strings.Builder
	for _, file := range append(sharedFiles, looseFiles...) {
		w.put(file, tokenTopic(file, "first"))
		fmt.Fprintf(&index, "- [%s](%s) — about it\n", strings.TrimSuffix(file, ".md"), file)
	}
	w.put(indexFile, index.String())
	first := w.sums()

	c := togetherCrowd{t: t, world: w, histories: t.TempDir(), random: rand.New(rand.NewPCG(*seed, 1))}
	p := w.open()
	var h *chronicle
	// A machine that is busy with other things gets more and more time, so that something happens.
	for c.round = 0; c.round < 7 && (h == nil || !c.enough(h)); c.round++ {
		c.until = time.Now().Add(*togetherFor << c.round)
		c.run()
		w.setNow(time.Now())
		if err := p.Recover(ctx); err != nil {
			t.Fatal(err)
		}
		h = &chronicle{first: first}
		h.load(t, p, c.histories)
	}
	h.last = w.sums()
	for _, v := range h.violations() {
		t.Error(v)
	}
	if n := w.lockRecordSize(); n != 0 {
		t.Errorf("the lock file has %d bytes left", n)
	}
	for file := range w.files() {
		if strings.HasPrefix(filepath.Base(file), ".dream-") {
			t.Errorf("%s was left over", file)
		}
	}
	n := h.counts()
	if !c.enough(h) {
		t.Errorf("too little happened: %d deaths, %v", c.deaths, n)
	}
	fmt.Printf("TestTogether: %d processes for %v (seed %d), %d killed; %d pairs of calls at once\n", c.started, *togetherFor*(1<<c.round-1), *seed, c.deaths, h.overlaps())
	fmt.Printf("TestTogether: landed %d dreams, %d writes, %d undos; %d aborted, %d recovered, %d conflicts, %d busy; beside %d foreign edits and %d dreams of Claude Code\n",
		n["acknowledged dream"], n["acknowledged write"], n["acknowledged undo"], n["acknowledged abort"], n["recovered"], n["conflict"], n["busy"], n["edited"], n["verified"])
	fmt.Printf("TestTogether: %d changes in %d archives, %d foreign edits met by a landing; %d violations\n", h.edges, len(h.archives), h.displaced, len(h.violations()))
}

// togetherCrowd starts the processes and kills them.
type togetherCrowd struct {
	t         *testing.T
	world     *world
	histories string
	until     time.Time
	round     int
	random    *rand.Rand

	mu              sync.Mutex
	victims         map[int]*os.Process // those that may be killed, by slot
	started, deaths int
}

// enough reports whether of everything that may meet at least one has happened.
func (c *togetherCrowd) enough(h *chronicle) bool {
	n := h.counts()
	return c.deaths > 0 && n["acknowledged write"] > 0 && n["acknowledged dream"] > 0 && n["edited"] > 0 && n["verified"] > 0
}

func (c *togetherCrowd) run() {
	in, out, err := os.Pipe()
	if err != nil {
		c.t.Fatal(err)
	}
	defer in.Close()
	c.victims = map[int]*os.Process{}
	var all, meddlers sync.WaitGroup
	slot := 0
	for _, group := range crowd {
		for range group.count {
			s := slot
			if group.role == "meddler" {
				meddlers.Go(func() { c.keepUp(group.role, s, in) })
			} else {
				all.Go(func() { c.keepUp(group.role, s, out) })
			}
			slot++
		}
	}
	for time.Now().Before(c.until) {
		time.Sleep(time.Duration(20+c.random.IntN(100)) * time.Millisecond)
		c.kill(c.random.IntN(slot))
	}
	all.Wait()
	out.Close()
	meddlers.Wait()
}

func (c *togetherCrowd) kill(slot int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if victim := c.victims[slot]; victim != nil {
		victim.Kill()
		delete(c.victims, slot)
	}
}

// keepUp keeps a process of a role at work: where one ends, the next begins.
func (c *togetherCrowd) keepUp(role string, slot int, hints *os.File) {
	for life := 0; time.Now().Before(c.until); life++ {
		order, _ := json.Marshal(worker{
			Role: role, Slot: slot, Seed: *seed<<32 + uint64(c.round)<<28 + uint64(slot)<<16 + uint64(life), Until: c.until,
			Memory: c.world.memory, State: c.world.state,
			History: filepath.Join(c.histories, fmt.Sprintf("%s-%d-%d-%d", role, slot, c.round, life)),
		})
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), workerVariable+"="+string(order))
		cmd.ExtraFiles = []*os.File{hints}
		var said strings.Builder
		cmd.Stdout, cmd.Stderr = &said, &said
		if err := cmd.Start(); err != nil {
			c.t.Error(err)
			return
		}
		c.mu.Lock()
		c.started++
		if role == "dreamer" || role == "writer" || role == "undoer" {
			c.victims[slot] = cmd.Process
		}
		c.mu.Unlock()
		died := cmd.Wait() != nil
		c.mu.Lock()
		if died {
			c.deaths++
		}
		delete(c.victims, slot)
		c.mu.Unlock()
		if said.Len() > 0 {
			c.t.Errorf("%s %d said %s", role, slot, said.String())
		}
	}
}
