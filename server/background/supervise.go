package background

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/runs"
	"dream-mcp/server/settings"
)

// grace is how long a host that was asked to end may take.
const grace = 5 * time.Second

// Supervise runs a host that dreams over p, if a dream is due and no other runs, and logs the outcome. firing is
// the host whose hook started us (none: Claude Code), and server the command line of our server. It fails if the
// dream fails.
func Supervise(ctx context.Context, p *consolidate.Project, setup settings.Setup, firing []string, server []string) error {
	if setup.Mode != settings.ModeApprove && setup.Mode != settings.ModeAuto {
		return fmt.Errorf("the mode is %s (%s): no dream is started in the background", setup.Mode, setup.ModeSource)
	}
	run, err := p.Gates.BeginRun(ctx)
	if err != nil {
		_, closed := errors.AsType[*consolidate.ClosedError](err)
		_, paused := errors.AsType[*runs.PausedError](err)
		if !closed && !paused && !errors.Is(err, runs.ErrRunning) {
			LogFailure(filepath.Dir(p.Store.Records.StateDir()), fmt.Errorf("a background dream could not begin: %w", err)) // it is not logged, and whoever started us has exited
		}
		return err
	}
	log, err := openLog(filepath.Join(p.Store.Records.StateDir(), settings.BackgroundLog), setup.AllowSecrets)
	if err != nil {
		_, endErr := run.End(context.Background(), runs.RunEnd{Failure: err.Error()})
		return errors.Join(err, endErr)
	}
	defer log.close()
	log.say("background dream %s, mode %s, over %s", run.ID, setup.Mode, p.Store.MemoryDir)
	occasion := append(firing, settings.ClaudeCode)[0]
	report, words, err := dream(ctx, p, setup, occasion, server, log)
	report.Host, report.Asked, report.Interrupted = occasion, setup.Asked, setup.Asked && ctx.Err() != nil
	by := occasion
	if len(setup.Limits.Command) > 0 {
		by = "the host"
	}
	if err != nil && ctx.Err() == nil {
		err = ops.Refuse(by+": "+err.Error(), "run that program once by hand; dream-mcp log --background shows what it printed")
	}
	if err != nil {
		report.Failure = p.Store.AllowSecrets.Mask(err.Error())
	}
	if report.Interrupted {
		report.Failure = "interrupted by the person"
	}
	outcome, endErr := run.End(context.WithoutCancel(ctx), report)
	log.say("%s%s; %d turns, %s, $%.4f", outcome, because(report.Failure), report.Turns, report.Tokens, report.CostUSD)
	if err == nil && outcome == ops.Aborted {
		err = ops.Refuse("the dream was stopped by a person, and nothing has landed", "dream-mcp dream begins another")
	}
	if err == nil && outcome == ops.Failed {
		err = ops.Refuse(by+" ended without a dream"+because(words), "if it wants a login, an approval or another model, run it once by hand; dream-mcp log --background shows all that it did")
	}
	return errors.Join(err, endErr)
}

func because(failure string) string {
	if failure == "" {
		return ""
	}
	return ": " + failure
}

// dream runs the host to its end, or to the end of its time. words are the last that it printed for a person.
func dream(parent context.Context, p *consolidate.Project, setup settings.Setup, firing string, server []string, log *runLog) (report runs.RunEnd, words string, err error) {
	limit := time.Duration(setup.Limits.MaxMinutes * float64(time.Minute))
	ctx, cancel := context.WithTimeoutCause(parent, limit, fmt.Errorf("it took longer than %v", limit))
	defer cancel()
	cmd, err := command(ctx, setup, firing, server, filepath.Join(p.Store.Records.StateDir(), "host"))
	if err != nil {
		return report, "", err
	}
	prompt, err := consolidate.DreamPrompt(consolidate.PromptValues{Today: p.Store.Now(), MemoryDir: p.Store.MemoryDir})
	if err != nil {
		return report, "", err
	}
	cmd.Stdin = strings.NewReader(prompt)
	out := newReader(log)
	complaint := ""
	complaints := &lineWriter{each: func(line string) {
		complaint = cmp.Or(strings.TrimSpace(line), complaint)
		log.say("stderr: %s", line)
	}}
	cmd.Stderr = complaints
	lines := &lineWriter{each: out.line}
	cmd.Stdout = lines
	cmd.Cancel = func() error { return end(cmd) }
	cmd.WaitDelay = grace
	group(cmd)
	runtime.LockOSThread() // Linux kills the host when this thread ends
	defer runtime.UnlockOSThread()
	log.say("%s", strings.Join(cmd.Args[:1], " "))
	if err := cmd.Start(); err != nil {
		return report, "", err
	}
	err = cmd.Wait()
	killRest(cmd)
	lines.end()
	complaints.end()
	out.flush()
	report, words = out.end, quote(cmp.Or(out.last, complaint))
	switch {
	case err != nil && parent.Err() != nil:
		return report, words, fmt.Errorf("interrupted: %w", context.Cause(parent))
	case err != nil && ctx.Err() != nil:
		return report, words, context.Cause(ctx)
	case out.failure != "":
		return report, words, errors.New(out.failure)
	case errors.Is(err, exec.ErrWaitDelay):
		return report, words, nil // it ended, and left somebody who held its output
	case err != nil:
		return report, words, fmt.Errorf("it failed: %w%s", err, because(quote(cmp.Or(complaint, out.last))))
	}
	return report, words, nil
}

// killRest ends the processes that the host left, such as our server, which then rolls back.
func killRest(cmd *exec.Cmd) {
	end(cmd)
	for deadline := time.Now().Add(grace); alive(cmd) && time.Now().Before(deadline); {
		time.Sleep(20 * time.Millisecond)
	}
	kill(cmd)
}

// lineWriter cuts what is written to it into lines.
type lineWriter struct {
	each func(string)
	rest []byte
}

// maxLine is the number of bytes that are kept of a line. Results of tools may be longer.
const maxLine = 1 << 20

func (w *lineWriter) Write(b []byte) (int, error) {
	for line := range bytes.Lines(b) {
		text, ended := bytes.CutSuffix(line, []byte("\n"))
		w.rest = append(w.rest, text[:min(len(text), maxLine-len(w.rest))]...)
		if ended {
			w.each(string(w.rest))
			w.rest = w.rest[:0]
		}
	}
	return len(b), nil
}

// end ends the last line if it is incomplete.
func (w *lineWriter) end() {
	if len(w.rest) > 0 {
		w.each(string(w.rest))
		w.rest = nil
	}
}
