// Package background answers the hooks of hosts, and runs background dreams.
//
// Answer prints the answer of a hook to its host, which is mostly empty. When a session starts it shows memories,
// offers a dream that is due (mode suggest), or reports what background dreams did or propose; a host that shows the
// person a message at a prompt or the end of a turn reports it then. In the modes approve
// and auto it starts a detached supervisor, which checks the gates and runs a host without a person.
//
// It promises that one background dream runs over a memory at a time. The host has no tool of its own that writes, no
// hooks, no transcript, and limits of turns, money and time. It is killed with all its processes when its time is up
// or its supervisor ends. Its cost and the reason of a failure are logged. After a failure the next run waits ten
// minutes, doubling up to a day. The server limits what the host may do to the memory, not this package.
//
// The next supervisor logs the run of one that was killed. On Linux the host dies with its supervisor; elsewhere
// the host's own limits end it. A command that a person configured has only the time limit.
package background

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/host"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory/visible"
	"dream-mcp/server/hook"
	"dream-mcp/server/settings"
)

// Front is a process that a host started as a hook.
type Front struct {
	Args    []string // of the command line, after the verb
	Options []string // for the processes that it starts: which project, and when
	Flags   settings.Flags
	Guard   bool   // while a dream is open, deny the tools that it must not use
	Self    string // this program
	In      io.Reader
	Out     io.Writer
	Open    func(settings.Setup) *consolidate.Project
}

// Answer answers the hook that this process was started as. It writes nothing, or one JSON object. An error is logged
// and never reaches the host.
func (f Front) Answer(ctx context.Context) error {
	e, err := hook.Read(f.Args, f.In)
	if marked(os.Getenv(hook.Mark)) || !f.Guard && (err != nil || e.Moment == "") {
		return err
	}
	unread := err
	ctx, cancel := context.WithTimeout(ctx, hook.Patience*3/4)
	defer cancel()
	setup, err := f.resolve(e)
	if errors.Is(err, settings.ErrNoProject) {
		return nil // the session has no memory
	}
	if err != nil {
		return err
	}
	setup.Unattended = setup.Mode == settings.ModeApprove || setup.Mode == settings.ModeAuto
	p := f.Open(setup)
	defer p.Close("the hook ended")
	if f.Guard && guarded(e) {
		if denied, err := guard(p, e, f.Out); denied || err != nil {
			return errors.Join(unread, err)
		}
	}
	if unread != nil || e.Moment == "" {
		return unread
	}
	return f.act(ctx, p, setup, e)
}

// act does what an event calls for, and prints the answer.
func (f Front) act(ctx context.Context, p *consolidate.Project, setup settings.Setup, e hook.Event) (err error) {
	background, dreams := setup.Unattended, setup.Enabled.On && !e.Ignored()
	if dreams && (e.Moment == hook.Start || e.Moment == hook.End) {
		err = f.sync(p, e)
	}
	soon := dreams && (background || e.Moment == hook.Start) && p.Gates.Soon(!background)
	reports := setup.Enabled.On && reportsAt(setup.Client, e) && p.Background.HasReports()
	memories := recalls(setup, e)
	if !soon && !reports && !memories {
		return err
	}
	say := speech{client: setup.Client}
	if memories {
		text, files, recallErr := recalled(ctx, p, setup, e)
		if err = errors.Join(err, recallErr); text != "" {
			say.model = append(say.model, text)
		}
		if len(files) > 0 {
			say.person = append(say.person, "Memory shown to the model: "+said.Visible(strings.Join(files, ", ")))
		}
	}
	var last string // for the model, after all other texts
	if soon {
		if background {
			err = errors.Join(err, f.launch(p, setup, e))
		} else if since, sessions, dueErr := p.Gates.Due(ctx); dueErr == nil {
			first, noted := p.Background.Claim(true)
			if err = errors.Join(err, noted); first {
				last = offer(since, sessions)
			}
		}
	}
	if !reports {
		if last != "" {
			say.model = append(say.model, last)
		}
		return errors.Join(err, say.write(f.Out, e.Name))
	}
	// Last: the gates may take until our time is up.
	return errors.Join(err, p.Background.DeliverReports(func(reports []state.Report) error {
		newest, _, _ := p.History.Named(ctx, "")
		say.report(reports, newest)
		if e.Moment == hook.Turn {
			say.model = nil // its turn has ended, and some hosts refuse words for it
		}
		if last != "" {
			say.model = append(say.model, last)
		}
		return say.write(f.Out, e.Name)
	}))
}

// reportsAt reports whether the person sees the report of a dream at an event. Where a host shows a message of a hook
// to nobody, its model gets it when a session starts.
func reportsAt(client string, e hook.Event) bool {
	if e.Moment == hook.Prompt || e.Moment == hook.Turn {
		silent := slices.ContainsFunc(host.List, func(h *host.Host) bool {
			return h.Hooks != nil && (h.ID == client && h.Hooks.Silent || slices.Contains(h.Hooks.SilentAt, e.Name))
		})
		return !e.Sub && !e.Again && !silent
	}
	return e.Moment == hook.Start && !e.Ignored()
}

// marked reports whether a variable is set, other than to 0 or false.
func marked(value string) bool { return value != "" && value != "0" && value != "false" }

// resolve returns the setup of the project that an event is about.
func (f Front) resolve(e hook.Event) (settings.Setup, error) {
	env := settings.Process()
	env.Dir = e.Where()
	setup, err := settings.Resolve(env, f.Flags)
	setup.SessionID = e.Session
	return setup, err
}

// launch starts the supervisor and does not wait for it.
func (f Front) launch(p *consolidate.Project, setup settings.Setup, e hook.Event) error {
	if first, err := p.Background.Claim(false); !first {
		return err
	}
	return f.start(e, "background", firing(setup, e), "--mode", setup.Mode)
}

// sync starts a sync of a shared memory and of the person's, and does not wait: the status says how it ended.
func (f Front) sync(p *consolidate.Project, e hook.Event) error {
	var failed error
	if s, err := p.Share.State(); err == nil && s.Stopped == "" {
		failed = f.start(e, "share", "--now")
	}
	if p.Person.Shared() {
		failed = errors.Join(failed, f.start(e, "share", "--person", "--now"))
	}
	return failed
}

// start starts this program in the folder and for the session of an event. The process outlives the hook.
func (f Front) start(e hook.Event, args ...string) error {
	cmd := detached(f.Self, append(args, f.Options...)...)
	cmd.Dir = e.Where()
	cmd.Env = append(os.Environ(), "CLAUDE_CODE_SESSION_ID="+e.Session)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("dream-mcp %s could not be started: %w", args[0], err)
	}
	return cmd.Process.Release()
}

// firing returns the host that called the hook.
func firing(setup settings.Setup, e hook.Event) string {
	for _, h := range host.List {
		if h.Hooks != nil && slices.Contains(h.Hooks.Own, e.Name) {
			return h.ID
		}
	}
	return cmp.Or(setup.Client, settings.ClaudeCode)
}

// speech is the answer to a hook: texts for the model, and texts for the person.
type speech struct {
	client        string
	model, person []string
}

// report adds the reports of background dreams. newest is the operation that undo without an ID undoes. The words of a
// dreaming model, which may have read anything, are only shown to the person, in one line.
func (s *speech) report(reports []state.Report, newest string) {
	for _, t := range reports {
		all := strings.Join(strings.Fields(said.Visible(t.Report+t.Decisions)), " ")
		if t.Outcome == string(ops.Proposed) {
			s.person = append(s.person, "Dream: a background dream proposes changes to the memory; nothing has landed. "+
				"To see and answer: dream-mcp review. If it lands: "+all)
			s.model = append(s.model, fmt.Sprintf("A background dream (%s) proposes changes to the long-term memory, and waits for the user's answer: "+
				"mention it in one sentence. The tool review_dream shows it; `dream-mcp review` in a terminal shows and lands it.", t.Dream))
			continue
		}
		id := t.Dream
		if id == newest {
			id = ""
		}
		s.person = append(s.person, "Dream: "+all+ops.HowToUndo(id))
		s.model = append(s.model, fmt.Sprintf("A background dream changed the long-term memory: %s "+
			"The user has read this and can undo it with `dream-mcp undo %s`.", visible.EscapeTags(t.Report), t.Dream))
	}
}

// offer asks the model to offer a dream.
func offer(since, sessions string) string {
	what := sessions + " since " + since
	if since == "never" {
		what = sessions + ", none of them reviewed yet"
	}
	return "A dream (a consolidation of this project's long-term memory) is due: " + what +
		". When the user's first request is done, offer it in one sentence. If they agree, call dream_orient of the server dream " +
		"and follow it. If they don't, leave it: it is offered at most once a day."
}

// maxSaid is the most that Claude Code takes from a hook, in characters.
const maxSaid = 9_000

func (s *speech) write(out io.Writer, event string) error {
	if len(s.model)+len(s.person) == 0 {
		return nil
	}
	type specific struct {
		Event   string `json:"hookEventName"`
		Context string `json:"additionalContext"`
	}
	cut := func(lines []string) string {
		text := strings.Join(slices.Clone(lines), "\n")
		if len(text) > maxSaid {
			text = strings.ToValidUTF8(text[:maxSaid], "") + " … (cut; dream-mcp log has the rest)"
		}
		return text
	}
	if h := host.Find(s.client); h != nil && h.Hooks != nil && h.Hooks.Answer != nil {
		return json.NewEncoder(out).Encode(h.Hooks.Answer(event, cut(s.model), cut(s.person)))
	}
	answer := struct {
		Message  string    `json:"systemMessage,omitempty"`
		Specific *specific `json:"hookSpecificOutput,omitempty"`
	}{Message: cut(s.person)}
	if len(s.model) > 0 {
		answer.Specific = &specific{event, cut(s.model)}
	}
	return json.NewEncoder(out).Encode(answer)
}
