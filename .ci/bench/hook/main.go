// Bench measures hooks from the start of the process to its end: with the time gate closed, at a prompt over 200
// memories, before a tool, and the word of a status bar. It compares them with a Go program that does nothing and with
// the usual ways to test for a file: `go run -C .ci ./bench/hook`.
//
// The program is built like a release. The commands take turns, so that a busy machine slows all of them. Bench prints
// the median and the best wall time, the median CPU time, and the ratio of each median to the hook's.
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const rounds = 100

// memories are as many as one hook reads; the largest of 33 real directories had 207.
const memories = 200

var subjects = []string{"deployment", "backup", "billing", "login", "search", "translation", "logging", "invoice"}

// contestant is a command that is timed.
type contestant struct {
	name  string
	args  []string
	input []byte
	took  []time.Duration
	cpu   []time.Duration // user and system
}

func main() {
	if err := measure(); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func measure() error {
	if err := os.Chdir(".."); err != nil { // the program's own module decides the versions of what it imports
		return err
	}
	dir, err := os.MkdirTemp("", "hook-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return err
	}
	program, memory, project := filepath.Join(dir, "program"), filepath.Join(dir, "memory"), filepath.Join(dir, "project")
	empty := filepath.Join(dir, "empty")
	if err := os.WriteFile(empty+".go", []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		return err
	}
	for out, source := range map[string]string{program: "dream-mcp", empty: empty + ".go"} {
		build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", out, source)
		build.Env = append(os.Environ(), "CGO_ENABLED=0") // a C library to be loaded costs a fifth more
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("go build: %w: %s", err, out)
		}
	}
	for _, d := range []string{memory, project} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return err
		}
	}
	lock := filepath.Join(memory, ".consolidate-lock")
	if err := os.WriteFile(lock, nil, 0o600); err != nil {
		return err
	}
	for i := range memories {
		text := fmt.Sprintf("---\nname: topic-%d\ndescription: How the %s of service %d is done, and why\nmetadata:\n  type: project\n---\n\n%s\n",
			i, subjects[i%len(subjects)], i,
			strings.Repeat("It is described in the handbook of the service, which is kept beside its code and read at each change. ", 17))
		if err := os.WriteFile(filepath.Join(memory, fmt.Sprintf("project_topic-%d.md", i)), []byte(text), 0o600); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "dream-mcp"), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "dream-mcp", "config.json"), []byte(`{"recall": "prompt"}`), 0o600); err != nil {
		return err
	}
	prompt := fmt.Appendf(nil, `{"session_id":"s","cwd":%q,"hook_event_name":"UserPromptSubmit",`+
		`"prompt":"rename the variable tmp to pending in parser.go, and then run the tests again"}`, project)
	tool := fmt.Appendf(nil, `{"session_id":"s","cwd":%q,"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"go test ./..."}}`, project)
	event := fmt.Appendf(nil, `{"session_id":"s","cwd":%q,"hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":"done"}`, project)
	contestants := []*contestant{
		{name: "dream-mcp hook", args: []string{program, "hook"}, input: event},
		{name: "hook, at a prompt", args: []string{program, "hook"}, input: prompt},
		{name: "hook --guard, at a tool", args: []string{program, "hook", "--guard"}, input: tool},
		{name: "dream-mcp statusline", args: []string{program, "statusline"}, input: event},
		{name: "statusline </dev/null", args: []string{program, "statusline"}},
		{name: "nothing, in Go", args: []string{empty}},
		{name: "bash -c '[ -e F ]'", args: []string{"bash", "-c", "[ -e " + lock + " ]"}},
		{name: "python3 -c os.stat", args: []string{"python3", "-c", "import os; os.stat('" + lock + "')"}},
		{name: "node -e statSync", args: []string{"node", "-e", "require('fs').statSync('" + lock + "')"}},
	}
	contestants = slices.DeleteFunc(contestants, func(c *contestant) bool {
		_, err := exec.LookPath(c.args[0])
		return err != nil
	})
	env := append(os.Environ(), "HOME="+dir, "XDG_CACHE_HOME="+dir, "XDG_STATE_HOME="+dir, "XDG_CONFIG_HOME="+dir, "CLAUDE_PROJECT_DIR="+project,
		"DREAM_MEMORY_DIR="+memory, "DREAM_MODE=auto", "DREAM_BACKGROUND=")
	for round := range rounds + 2 { // the first fill the caches
		for _, c := range contestants {
			cmd := exec.Command(c.args[0], c.args[1:]...)
			cmd.Env, cmd.Dir = env, project
			if c.input != nil {
				cmd.Stdin = bytes.NewReader(c.input)
			}
			begun := time.Now()
			out, err := cmd.Output()
			if err != nil || len(out) > 0 {
				return fmt.Errorf("%s: %v, and said %q", c.name, err, out)
			}
			if round >= 2 {
				c.took = append(c.took, time.Since(begun))
				c.cpu = append(c.cpu, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
			}
		}
	}
	for _, c := range contestants {
		slices.Sort(c.took)
		slices.Sort(c.cpu)
	}
	hook := contestants[0]
	for _, c := range contestants {
		fmt.Printf("%-23s  median %6.2f ms  best %6.2f ms  %5.1f times the hook   cpu %6.2f ms  %5.1f times\n", c.name,
			ms(c.took[rounds/2]), ms(c.took[0]), ratio(c.took, hook.took), ms(c.cpu[rounds/2]), ratio(c.cpu, hook.cpu))
	}
	return nil
}

// ratio compares two medians.
func ratio(a, b []time.Duration) float64 { return float64(a[rounds/2]) / float64(b[rounds/2]) }

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
