// Package demo shows a dream from its start to its undo, in a temporary folder, to a person who has not run one.
//
// Nothing outside that folder is read or written. A demo that is killed leaves its folder in the system's temporary
// directory.
package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"dream-mcp/consolidate/ops"
	"dream-mcp/memory"
	"dream-mcp/server/console/terminal"
)

// limit is the timeout of a demo, which takes a second or two.
const limit = 60 * time.Second

// Options configure a demo.
type Options struct {
	Self string    // the path of this program
	In   io.Reader // where the person types; nil: the demo prints the whole story and asks nothing
	Out  io.Writer
	Keep bool // keep the folder, with the memory as the dream left it
	Full bool // show a person every step, not three screens
}

// Run shows a dream from its start to its undo. Only the model is not real: story.txt takes its place. The server
// runs in its own process and is called as an agent calls it. The demo fails if an answer is not
// what the story expects.
func Run(person context.Context, o Options) (err error) {
	ctx, cancel := context.WithTimeout(person, limit)
	defer cancel()
	dir, err := os.MkdirTemp("", "dream-demo-")
	if err != nil {
		return err
	}
	s := &story{Options: o, ctx: ctx, ink: terminal.InkFor(o.Out), forPerson: terminal.Interactive(o.In, o.Out), step: "start"}
	defer func() {
		if o.Keep {
			fmt.Fprintf(o.Out, "\nKept: %s\nTo look around:\n%s", dir, s.enter(runtime.GOOS))
			return
		}
		err = errors.Join(err, os.RemoveAll(dir))
	}()
	if s.world, err = build(dir, time.Now()); err != nil {
		return err
	}
	if s.before, err = s.image(); err != nil {
		return err
	}
	log, err := os.Create(filepath.Join(dir, "server.log"))
	if err != nil {
		return err
	}
	defer log.Close()
	if err = s.startServer(log); err == nil {
		err = errors.Join(s.play(), s.server.Close())
	}
	if shown := s.showPages(person); shown != nil {
		return shown
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return fmt.Errorf("%w, in “%s”", ctx.Err(), s.step)
	case err != nil:
		if words, _ := os.ReadFile(log.Name()); len(words) > 0 {
			err = fmt.Errorf("%w; the server said: %s", err, bytes.TrimSpace(words))
		}
		return ops.Refuse(fmt.Sprintf("in “%s”: %v", s.step, err), "dream-mcp demo --keep keeps its folder for you to look at")
	}
	return nil
}

// story is the demo while it runs.
type story struct {
	Options
	world
	ctx    context.Context
	before map[string]string // the memory at the start
	server *client.Client
	ink    terminal.Ink
	pages  []string  // what is shown, a page for each step after a first without a heading
	index  [2]string // the index at the start, and after the dream
	live   string    // what status --watch shows while the dream is open
	cause  string    // words of the person, and the change that they caused

	forPerson bool // a person reads one page after the other: calls are shown in words, not as JSON

	step   string // the heading
	number int
	diff   bool   // the last answer is a diff
	answer string // the last answer
}

// command returns a command that runs this program in the world.
func (s *story) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(s.ctx, s.Self, args...)
	cmd.Dir, cmd.Env = s.project, s.environment()
	return cmd
}

func (s *story) startServer(log *os.File) (err error) {
	s.server, err = client.NewStdioMCPClientWithOptions(s.Self, nil, []string{"serve"},
		transport.WithCommandFunc(func(_ context.Context, _ string, _, args []string) (*exec.Cmd, error) {
			cmd := s.command(args...)
			cmd.Stderr = log
			return cmd, nil
		}))
	if err != nil {
		return err
	}
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcp.Implementation{Name: "dream-mcp-demo", Version: "1"}
	if _, err = s.server.Initialize(s.ctx, hello); err != nil {
		s.server.Close()
	}
	return err
}

// play plays the story. A line that begins with a tab continues the line before it. Each line is a template; its data
// is the last answer, if that is JSON. The first word of a line is its kind; a line of any other kind is printed.
//
//	# WORDS            begins a step
//	> TOOL JSON        calls a tool
//	! TOOL JSON        calls a tool that must refuse
//	$ VERB ARGUMENTS   runs this program
//	? WORDS            must be in the last answer
//	| N [REGEXP]       shows the first N lines of the last answer that match, and says how many more there are
//	= WORDS            prints WORDS if the memory is as it was at the start, else fails
//	live               keeps what status --watch shows now
//	after FILE         keeps the index as it is now, to show it beside the one at the start, and where the change of
//	                   FILE comes from
//	undo               begins what --keep omits
func (s *story) play() error {
	script, err := files.ReadFile("story.txt")
	if err != nil {
		return err
	}
	index, err := os.ReadFile(filepath.Join(s.memory, memory.IndexFile))
	if err != nil {
		return err
	}
	s.index[0], s.pages = string(index), []string{""}
	for line := range strings.SplitSeq(strings.ReplaceAll(strings.TrimSpace(string(script)), "\n\t", " "), "\n") {
		var data any
		json.Unmarshal([]byte(s.answer), &data) // prose has no data
		if line == "undo" {
			if s.Keep {
				break
			}
			continue
		}
		line, err := s.fill(line, data, template.FuncMap{
			"sum": s.sum, "repeat": func(n int, text string) string { return strings.Repeat(text, n) },
			"files": func() int { return len(s.before) },
		})
		if err != nil {
			return err
		}
		if err := s.do(line); err != nil {
			return err
		}
	}
	return nil
}

// do executes a line of the story.
func (s *story) do(line string) error {
	mark, rest, _ := strings.Cut(line, " ")
	switch mark {
	case "#":
		s.number++
		s.step = rest
		s.pages = append(s.pages, "")
		s.print(terminal.Bold, "", fmt.Sprintf("%d  %s", s.number, rest))
	case ">", "!":
		s.print(terminal.Cyan, "", "→ "+s.said(rest))
		s.showEdits(rest)
		return s.call(rest, mark == "!")
	case "live":
		out, err := s.command("status", "--watch", "--once").CombinedOutput()
		s.live = string(out)
		return err
	case "after":
		index, err := os.ReadFile(filepath.Join(s.memory, memory.IndexFile))
		s.index[1] = string(index)
		return errors.Join(err, s.findCause(rest))
	case "$":
		s.print("", "", "$ dream-mcp "+rest)
		out, err := s.command(strings.Fields(rest)...).CombinedOutput()
		s.answer, s.diff = string(out), rest == "diff"
		if err != nil {
			return fmt.Errorf("dream-mcp %s: %w: %s", rest, err, out)
		}
	case "?":
		if !strings.Contains(s.answer, rest) {
			return fmt.Errorf("%q is not in the answer: %s", rest, s.answer)
		}
	case "|":
		return s.show(rest)
	case "=":
		after, err := s.image()
		if err != nil || !maps.Equal(s.before, after) {
			return errors.Join(err, errors.New("the memory is not as it was"))
		}
		s.print(terminal.Green, "", rest)
	default:
		s.print(terminal.Dim, "", line)
	}
	return nil
}

// call calls a tool. The line is its name and its arguments as JSON.
func (s *story) call(line string, refused bool) error {
	tool, arguments, _ := strings.Cut(line, " ")
	var r mcp.CallToolRequest
	r.Params.Name, r.Params.Arguments = tool, json.RawMessage(arguments)
	answer, err := s.server.CallTool(s.ctx, r)
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, content := range answer.Content {
		if t, ok := content.(mcp.TextContent); ok {
			text.WriteString(t.Text)
		}
	}
	if s.answer, s.diff = text.String(), false; answer.IsError != refused {
		return fmt.Errorf("%s answered: %s", tool, s.answer)
	}
	return nil
}

// said returns a call as it is shown: to a person the tool and what it is about, else the tool and its arguments.
func (s *story) said(line string) string {
	tool, arguments, _ := strings.Cut(line, " ")
	if !s.forPerson {
		return line
	}
	var about struct {
		Path, Pattern string
		Paths         []string
		Delete        bool
	}
	json.Unmarshal([]byte(arguments), &about) // the story's own
	words := append([]string{tool, about.Path, about.Pattern}, about.Paths...)
	if about.Delete {
		words = append(words, "(delete)")
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

// findCause keeps the words that a memory comes from, and how its first line changed.
func (s *story) findCause(file string) error {
	out, err := s.command("why", file, "--json").Output()
	if err != nil {
		return fmt.Errorf("dream-mcp why %s: %w", file, err)
	}
	var why struct {
		Sources []struct {
			Said time.Time
			Text string
		}
	}
	if err := json.Unmarshal(out, &why); err != nil || len(why.Sources) == 0 {
		return fmt.Errorf("%s has no source: %s", file, out)
	}
	name := filepath.Join(s.memory, file)
	after, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	_, before, _ := strings.Cut(s.before[name], "\n") // below the time
	first := func(text string) string {
		line, _, _ := strings.Cut(strings.TrimSpace(memory.ParseTopic([]byte(text)).Body()), "\n")
		return line
	}
	b := terminal.Lines{Ink: s.ink}
	b.Add(true, terminal.Bold, "You said on %s:", why.Sources[0].Said.Format(time.DateOnly))
	b.Add(true, terminal.Cyan, "  “%s”", why.Sources[0].Text)
	b.Add(true, terminal.Bold, "So %s changed:", file)
	b.Add(true, terminal.Red, "  - %s", first(before))
	b.Add(true, terminal.Green, "  + %s", first(string(after)))
	s.cause = b.String()
	return nil
}

// sum returns the sum of a memory, the base of a change.
func (s *story) sum(name string) (string, error) {
	data, err := os.ReadFile(filepath.Join(s.memory, name))
	return memory.SumOf(data).Short(), err
}
