package console

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"dream-mcp/consolidate"
	"dream-mcp/server/host"
)

// demoLimit is when a demo that hangs gives up; it takes a second or two.
const demoLimit = 60 * time.Second

// storyError says where the demo went otherwise than its story.
type storyError struct{ step, message string }

func (e *storyError) Error() string { return fmt.Sprintf("in “%s”: %s", e.step, e.message) }

// demo tells of a dream from its start to its undo. Everything in it is real but the model, which
// follows a script: the server is a process of its own, spoken to as an agent does. What it shows it
// also checks, and fails with a *storyError where an answer is not what the story says.
func (c *Command) demo(ctx context.Context, _ *consolidate.Project, _ host.Setup) (err error) {
	ctx, cancel := context.WithTimeout(ctx, demoLimit)
	defer cancel()
	dir, err := os.MkdirTemp("", "dream-demo-")
	if err != nil {
		return err
	}
	defer func() {
		if c.Keep {
			fmt.Fprintf(c.Out, "Kept: %s\n", dir)
			return
		}
		err = errors.Join(err, os.RemoveAll(dir))
	}()
	w, err := build(dir, time.Now())
	if err != nil {
		return err
	}
	s := &story{teller: teller{out: c.Out, ink: paintFor(c.Out), home: w.home}, ctx: ctx, world: w, self: c.Self}
	server, err := s.startServer()
	if err != nil {
		return &storyError{"start", err.Error()}
	}
	s.server = server
	s.tell()
	closed := server.Close()
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%w, in “%s”", ctx.Err(), s.step)
	case s.err != nil:
		if words := strings.TrimSpace(s.stderr.String()); words != "" {
			return fmt.Errorf("%w; the server said: %s", s.err, words)
		}
		return s.err
	case closed != nil:
		return &storyError{"end", "the server ended with: " + closed.Error()}
	}
	return nil
}

// story carries the demo from step to step. After its first error nothing more is told or called.
type story struct {
	teller
	ctx    context.Context
	world  world
	self   string
	server *client.Client
	stderr stderr
}

// stderr keeps what the server says beside the protocol.
type stderr struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *stderr) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *stderr) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// command is this program again, in the world.
func (s *story) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(s.ctx, s.self, args...)
	cmd.Dir, cmd.Env = s.world.project, s.world.environment()
	return cmd
}

func (s *story) startServer() (*client.Client, error) {
	server, err := client.NewStdioMCPClientWithOptions(s.self, nil, []string{"serve"},
		transport.WithCommandStderrWriter(&s.stderr),
		transport.WithCommandFunc(func(_ context.Context, _ string, _, args []string) (*exec.Cmd, error) {
			return s.command(args...), nil
		}))
	if err != nil {
		return nil, err
	}
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcp.Implementation{Name: "dream-mcp-demo", Version: "1"}
	if _, err := server.Initialize(s.ctx, hello); err != nil {
		return nil, errors.Join(fmt.Errorf("%w; the server said: %s", err, s.stderr.String()), server.Close())
	}
	return server, nil
}

// argument of a call. They are shown in the order in which they are given.
type argument struct {
	name  string
	value any
}

// call asks the server, and shows the question. It returns the text of the answer, of a refusal too;
// refused says which is expected.
func (s *story) call(refused bool, tool string, arguments ...argument) string {
	if s.err != nil {
		return ""
	}
	s.question(tool, arguments)
	var r mcp.CallToolRequest
	r.Params.Name = tool
	given := make(map[string]any)
	for _, a := range arguments {
		given[a.name] = a.value
	}
	r.Params.Arguments = given
	answer, err := s.server.CallTool(s.ctx, r)
	if err != nil {
		s.fail("%s: %v", tool, err)
		return ""
	}
	var text strings.Builder
	for _, content := range answer.Content {
		if t, ok := content.(mcp.TextContent); ok {
			text.WriteString(t.Text)
		}
	}
	if answer.IsError != refused {
		s.fail("%s answered: %s", tool, text.String())
		return ""
	}
	return text.String()
}

// verb runs a verb of the terminal, and returns what it prints.
func (s *story) verb(args ...string) string {
	if s.err != nil {
		return ""
	}
	s.line("$ dream-mcp " + strings.Join(args, " "))
	out, err := s.command(args...).CombinedOutput()
	if err != nil {
		s.fail("dream-mcp %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return string(out)
}
