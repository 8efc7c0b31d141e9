package console

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/term"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/store"
	"dream-mcp/memory/secret"
	"dream-mcp/server/host"
)

// watchPoll is how often it is looked whether something changed. A look at what has not costs some ten
// system calls.
const watchPoll = 400 * time.Millisecond

// watch shows a dream as it goes, of whichever process, or why there is none. It takes no lock; only a
// person's x writes anything: the mark by which a dream is asked to stop.
func (c *Command) watch(ctx context.Context, p *consolidate.Project, _ host.Setup) error {
	w := p.Watch(host.BackgroundLog)
	v := watchView{ink: paintFor(c.Out), zone: p.Now().Location(), asked: c.Verb == "dream"}
	screen, ok := c.screen()
	switch {
	case c.Once:
		return c.watchOnce(ctx, w, v)
	case c.JSON || !ok:
		return c.watchLines(ctx, w, v)
	}
	picture, _, err := w.Look(ctx)
	if err != nil {
		return err
	}
	v.picture = picture
	m := watchModel{view: v,
		look: func() (consolidate.Picture, error) {
			picture, _, err := w.Look(ctx)
			return picture, err
		},
		stop: func() (string, error) { return p.RequestStop(ctx, "a person who watched it stopped it") },
	}
	last, err := tea.NewProgram(m, tea.WithContext(ctx), tea.WithOutput(screen), tea.WithFPS(10), tea.WithoutSignalHandler()).Run()
	if ctx.Err() != nil {
		return nil // a signal: the terminal is as it was
	}
	if m, ok := last.(watchModel); ok && err == nil {
		err = m.err
	}
	return err
}

// screen is the terminal to draw on, if there is a person at both its ends.
func (c *Command) screen() (*os.File, bool) {
	out := c.Out
	if masks, ok := out.(*secret.Writer); ok {
		out = masks.Out // what is drawn was masked before it was cut into rows
	}
	f, ok := out.(*os.File)
	return f, ok && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd())) && term.IsTerminal(int(os.Stdin.Fd()))
}

// watchOnce prints the present picture.
func (c *Command) watchOnce(ctx context.Context, w *consolidate.Watch, v watchView) error {
	var err error
	if v.picture, _, err = w.Look(ctx); err != nil {
		return err
	}
	if c.JSON {
		return c.printJSON(v.picture, "  ")
	}
	if screen, ok := c.screen(); ok {
		v.width, _, _ = term.GetSize(int(screen.Fd()))
	}
	return c.print(strings.Join(v.lines(), "\n") + "\n")
}

// watchLines prints a line for each thing that happens, or with --json each new picture, until it is
// stopped, or nobody reads its output.
func (c *Command) watchLines(ctx context.Context, w *consolidate.Watch, v watchView) error {
	var n news
	for {
		picture, changed, err := w.Look(ctx)
		if ctx.Err() != nil {
			return nil
		}
		switch {
		case err != nil:
			return err
		case !changed:
		case c.JSON:
			err = c.printJSON(picture, "")
		default:
			for _, line := range n.of(v, picture) {
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

// watchModel is the view on a screen, with its keys.
type watchModel struct {
	view watchView
	look func() (consolidate.Picture, error)
	stop func() (holder string, err error)
	err  error
}

type pictureMsg struct {
	picture consolidate.Picture
	err     error
}

type stoppedMsg struct {
	holder string
	err    error
}

func (m watchModel) Init() tea.Cmd { return m.lookAgain() }

// lookAgain looks once more, after a while.
func (m watchModel) lookAgain() tea.Cmd {
	return tea.Tick(watchPoll, func(time.Time) tea.Msg {
		picture, err := m.look()
		return pictureMsg{picture, err}
	})
}

func (m watchModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.view.width, m.view.height = msg.Width, msg.Height
		return m, tea.ClearScreen // what a terminal makes of its rows when it grows again is not known
	case pictureMsg:
		if m.err = msg.err; m.err != nil {
			return m, tea.Quit
		}
		m.view.picture = msg.picture
		m.view.asking = m.view.asking && msg.picture.Dream != nil
		return m, m.lookAgain()
	case stoppedMsg:
		m.view.note = "asked to stop: " + msg.holder
		if errors.Is(msg.err, store.ErrNoDream) {
			m.view.note = "no dream is open any more"
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
	page := max(1, v.height/3)
	forward := 1 // a diff is read from its beginning, activity from its end
	if v.pane == activityPane {
		forward = -1
	}
	switch key {
	case "q", "esc":
		return m, tea.Quit
	case "x":
		v.asking = v.picture.Dream != nil
	case "tab", "d", "a":
		v.pane, v.up = 1-v.pane, 0
	case "down", "j":
		v.up += forward
	case "up", "k":
		v.up -= forward
	case "pgdown", "space":
		v.up += page * forward
	case "pgup":
		v.up -= page * forward
	case "home":
		v.up = 0
		if forward < 0 {
			v.up = v.most()
		}
	case "end":
		v.up = v.most()
		if forward < 0 {
			v.up = 0
		}
	}
	v.up = min(max(0, v.up), v.most())
	return m, nil
}

func (m watchModel) View() tea.View {
	view := tea.NewView(strings.Join(m.view.lines(), "\n"))
	view.AltScreen = true
	view.WindowTitle = "dream-mcp watch"
	return view
}
