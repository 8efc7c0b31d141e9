package console

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/ops"
	"dream-mcp/server/console/terminal"
	"dream-mcp/server/settings"
)

// watchPoll is the interval between two looks.
const watchPoll = 400 * time.Millisecond

// runWatch shows the open dream of any process, or why there is none. Each look first ends what a crash left, as a
// reader does. The key x asks the dream to stop.
func runWatch(ctx context.Context, c *Command, p *consolidate.Project, _ settings.Setup) error {
	w := p.Watch(settings.BackgroundLog)
	v := watchView{ink: terminal.InkFor(c.Out), zone: p.Store.Now().Location(), asked: c.Verb == "dream", began: p.Store.Now()}
	switch {
	case c.status.once:
		return watchOnce(ctx, c, w, v)
	case c.json || !terminal.Interactive(c.In, c.Out):
		return watchLines(ctx, c, w, v)
	}
	snapshot, _, err := w.Look(ctx)
	if err != nil {
		return err
	}
	v.snapshot = snapshot
	m := watchModel{view: v,
		look: func() (consolidate.Snapshot, error) {
			snapshot, _, err := w.Look(ctx)
			return snapshot, err
		},
		stop: func() (string, error) { return p.RequestStop(ctx, "by a person in status --watch") },
	}
	// A snapshot is masked before it is cut into rows, so it needs no *secret.Writer.
	last, err := tea.NewProgram(m, tea.WithContext(ctx), tea.WithOutput(terminal.File(c.Out)), tea.WithFPS(10), tea.WithoutSignalHandler()).Run()
	if ctx.Err() != nil {
		return nil // a signal; the terminal is restored
	}
	if m, ok := last.(watchModel); ok && err == nil {
		err = m.err
		if v.asked && m.interrupted {
			err = errCtrlC
		}
	}
	return err
}

// errCtrlC is returned by runWatch where the person asked for the dream: ctrl-c ends it.
var errCtrlC = errors.New("ctrl-c")

// watchOnce prints one snapshot.
func watchOnce(ctx context.Context, c *Command, w *consolidate.Watch, v watchView) error {
	var err error
	if v.snapshot, _, err = w.Look(ctx); err != nil {
		return err
	}
	if c.json {
		return c.printJSON(v.snapshot, "  ")
	}
	if terminal.Interactive(c.In, c.Out) {
		v.width = terminal.Width(c.Out)
	}
	return c.print(strings.Join(v.lines(), "\n") + "\n")
}

// watchLines prints a line for each event, or with --json each new snapshot, until ctx is done or a write fails.
func watchLines(ctx context.Context, c *Command, w *consolidate.Watch, v watchView) error {
	var shown shownEvents
	for {
		snapshot, changed, err := w.Look(ctx)
		if ctx.Err() != nil {
			return nil
		}
		switch {
		case err != nil:
			return err
		case !changed:
		case c.json:
			err = c.printJSON(snapshot, "")
		default:
			for _, line := range shown.next(v, snapshot) {
				if err == nil {
					err = c.print(line + "\n")
				}
			}
		}
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(watchPoll):
		}
	}
}

// scrollAll is more rows than any snapshot has.
const scrollAll = 1 << 30

// watchModel is the view on a screen, with its keys.
type watchModel struct {
	view watchView
	look func() (consolidate.Snapshot, error)
	stop func() (holder string, err error)
	err  error

	interrupted bool // by ctrl-c
}

type snapshotMsg struct {
	snapshot consolidate.Snapshot
	err      error
}

type stoppedMsg struct {
	holder string
	err    error
}

func (m watchModel) Init() tea.Cmd { return m.lookLater() }

func (m watchModel) lookLater() tea.Cmd {
	return tea.Tick(watchPoll, func(time.Time) tea.Msg {
		snapshot, err := m.look()
		return snapshotMsg{snapshot, err}
	})
}

func (m watchModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.view.width, m.view.height = msg.Width, msg.Height
		return m, tea.ClearScreen // terminals differ in what they do with the rows after a resize
	case snapshotMsg:
		if m.err = msg.err; m.err != nil {
			return m, tea.Quit
		}
		m.view.snapshot = msg.snapshot
		m.view.asking = m.view.asking && msg.snapshot.Dream != nil
		return m, m.lookLater()
	case stoppedMsg:
		m.view.note = "asked to stop: " + msg.holder
		if errors.Is(msg.err, ops.ErrNoDream) {
			m.view.note = "the dream has ended"
		} else if msg.err != nil {
			m.view.note = msg.err.Error()
		}
	case tea.KeyPressMsg:
		return m.press(msg.String())
	}
	return m, nil
}

// press handles a key.
func (m watchModel) press(key string) (tea.Model, tea.Cmd) {
	v := &m.view
	v.note = ""
	if key == "ctrl+c" {
		m.interrupted = true
		return m, tea.Quit
	}
	if v.asking {
		v.asking = false
		if key != "y" {
			return m, nil
		}
		return m, func() tea.Msg {
			holder, err := m.stop()
			return stoppedMsg{holder, err}
		}
	}
	switch key {
	case "q", "esc":
		return m, tea.Quit
	case "x":
		v.asking = v.snapshot.Dream != nil
	case "down", "j":
		v.scroll(1)
	case "up", "k":
		v.scroll(-1)
	case "pgdown", "space":
		v.scroll(max(1, v.room()-1))
	case "pgup":
		v.scroll(-max(1, v.room()-1))
	case "home":
		v.scroll(-scrollAll)
	case "end":
		v.scroll(scrollAll)
	}
	return m, nil
}

func (m watchModel) View() tea.View {
	view := tea.NewView(strings.Join(m.view.lines(), "\n"))
	view.AltScreen = true
	view.WindowTitle = "dream-mcp"
	return view
}
