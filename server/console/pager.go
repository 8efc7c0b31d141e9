package console

import (
	"io"
	"os"
	"os/exec"
	"strings"

	"dream-mcp/memory/secret"
	"dream-mcp/server/console/terminal"
	"dream-mcp/server/settings"
)

// A pager prints a long text, on a terminal through the person's pager.
type pager struct {
	c     *Command
	out   io.Writer
	ink   terminal.Ink
	width int
}

// paged calls show with a pager, and waits for it to end.
func (c *Command) paged(setup settings.Setup, show func(*pager) error) error {
	to := &pager{c: c, out: c.Out, ink: terminal.InkFor(c.Out), width: terminal.Width(c.Out)}
	if !terminal.Interactive(c.In, c.Out) || c.json {
		return show(to)
	}
	words := strings.Fields(os.Getenv("PAGER"))
	if len(words) == 0 {
		words = []string{"less"}
	}
	program, err := exec.LookPath(words[0])
	if err != nil {
		return show(to)
	}
	cmd := exec.Command(program, words[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = nil, terminal.File(c.Out), os.Stderr
	if os.Getenv("LESS") == "" {
		cmd.Env = append(os.Environ(), "LESS=FRX") // as git does: end on a short text, pass colours, leave the screen
	}
	pipe, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return show(to)
	}
	to.out = &secret.Writer{Out: pipe, Allowed: setup.AllowSecrets, Colours: terminal.Colours}
	err = show(to)
	pipe.Close()
	cmd.Wait() // its exit code says how the person left it
	return err
}

func (to *pager) print(text string) error {
	_, err := io.WriteString(to.out, text)
	return err
}

func (to *pager) json(v any) error {
	c := *to.c
	c.Out = to.out
	return c.printJSON(v, "")
}
