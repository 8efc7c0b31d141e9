package tools

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/store"
	"dream-mcp/memory/secret"
)

// A Connection finds the project of a client that starts its servers in a folder of its own choice: by the folders (roots) that
// the client names at the first call, and again after it says that they changed. One folder is the project; of several with
// memories of their own the person chooses one; without any it is Project.
type Connection struct {
	// Project is used where the client names no folder. It is nil where there is none, and Missing says why.
	Project *consolidate.Project
	Missing error
	// Open opens the project of a folder, and changes no file; where it is nil, the client is not asked for its folders. Begin is
	// called with each project that it opened before the first use.
	Open  func(folder string) (*consolidate.Project, error)
	Begin func(*consolidate.Project)

	changed atomic.Bool                    // the client's folders, since it was asked
	allowed atomic.Pointer[secret.Allowed] // of current; kept beside it since a call may hold mu for long

	mu      sync.Mutex
	asked   bool
	choice  []*opened // what the client's folders lead to
	current *opened
	used    []*opened // a dream that is open in one of them stays open when another is chosen
}

type opened struct {
	folder  string
	project *consolidate.Project
	table   Table
}

// The names of what a call asks the client for.
const (
	askFolders = "folders"
	askProject = "project"
)

// NewFor returns the table of a connection.
func NewFor(c *Connection) Table {
	if c.Project != nil {
		c.current = &opened{project: c.Project, table: New(c.Project)}
		c.used = []*opened{c.current}
		c.allow(c.Project)
	}
	if c.Open == nil {
		return c.current.table
	}
	t := New(consolidate.Open(consolidate.Options{})) // for the listing: its handlers are not called
	for i := range t.Tools {
		t.Tools[i].Handler = func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			o, ask, err := c.find(ctx, r.Params.MultiRoundTripParams)
			switch {
			case err != nil:
				return refuse(err, c.Allowed()), nil
			case ask != nil:
				return ask.ToolResult(), nil
			}
			return o.table.Tools[i].Handler(ctx, r)
		}
	}
	for i := range t.Prompts {
		t.Prompts[i].Handler = func(ctx context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			o, ask, err := c.find(ctx, r.Params.MultiRoundTripParams)
			switch {
			case err != nil:
				return nil, asParams(err)
			case ask != nil:
				return ask.PromptResult(), nil
			}
			return o.table.Prompts[i].Handler(ctx, r)
		}
	}
	for i := range t.Resources {
		t.Resources[i].Handler = func(ctx context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			o, err := c.findNow(ctx)
			if err != nil {
				return nil, asParams(err)
			}
			return o.table.Resources[i].Handler(ctx, r)
		}
	}
	for i := range t.Templates {
		t.Templates[i].Handler = func(ctx context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			o, err := c.findNow(ctx)
			if err != nil {
				return nil, asParams(err)
			}
			return o.table.Templates[i].Handler(ctx, r)
		}
	}
	t.Completions.project = func(ctx context.Context) (*consolidate.Project, error) {
		o, err := c.findNow(ctx)
		if err != nil {
			return nil, err
		}
		return o.project, nil
	}
	return t
}

// asParams makes an error one whose text reaches the client.
func asParams(err error) error {
	reason, hint, _ := explain(err)
	return fmt.Errorf("%w: %s; %s", mcp.ErrInvalidParams, oneLine(reason), oneLine(hint))
}

// Allowed are the values of the project in use that are shown though they look like credentials.
func (c *Connection) Allowed() secret.Allowed {
	if a := c.allowed.Load(); a != nil {
		return *a
	}
	return nil
}

func (c *Connection) allow(p *consolidate.Project) {
	a := p.AllowSecrets
	c.allowed.Store(&a)
}

// FoldersChanged says that the client has other folders now.
func (c *Connection) FoldersChanged() { c.changed.Store(true) }

// Poll looks whether the memory in use changed.
func (c *Connection) Poll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current != nil {
		c.current.project.Poll()
	}
}

// Close closes the projects that were used.
func (c *Connection) Close(reason string) (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range c.used {
		err = errors.Join(err, o.project.Close(reason))
	}
	return err
}

// find returns the project in use, or what to ask the client first. answers are what it said when it was asked.
func (c *Connection) find(ctx context.Context, answers mcp.MultiRoundTripParams) (*opened, *mcpserver.InputRequestBuilder, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changed.Swap(false) {
		c.asked = false
	}
	if !c.asked {
		roots := mcpserver.RootsResponse(answers.InputResponses, askFolders)
		if roots == nil && answers.RequestState != askFolders && namesFolders(ctx) {
			return nil, mcpserver.NewInputRequestBuilder(askFolders).Roots(askFolders), nil
		}
		if err := c.take(roots); err != nil {
			return nil, nil, err
		}
		c.asked = roots != nil || answers.RequestState == askFolders
	}
	switch {
	case c.current != nil:
		return c.current, nil, nil
	case len(c.choice) == 0:
		return nil, nil, c.Missing
	}
	folders := make([]string, len(c.choice))
	for i, o := range c.choice {
		folders[i] = c.Allowed().Line(o.folder) // as the client sees it
	}
	several := &store.RequestError{
		Message: fmt.Sprintf("this client has %d folders with memories of their own open, and none of them is chosen: %s", len(folders), strings.Join(folders, ", ")),
		Hint:    "keep one of them open, or name one in the client's entry for this server: --project DIR",
	}
	answer := mcpserver.ElicitationResponse(answers.InputResponses, askProject)
	if answer == nil && asks(ctx) && answers.RequestState != askProject {
		return nil, mcpserver.NewInputRequestBuilder(askProject).Elicit(askProject, mcp.ElicitationParams{
			Message: "Several folders are open. Which one's long-term memory is meant, until the folders change?",
			RequestedSchema: map[string]any{
				"type":       "object",
				"properties": map[string]any{askProject: map[string]any{"type": "string", "title": "Folder", "enum": folders}},
				"required":   []string{askProject},
			},
		}), nil
	}
	if answer == nil || answer.Action != mcp.ElicitationResponseActionAccept {
		return nil, nil, several
	}
	content, _ := answer.Content.(map[string]any)
	at := slices.IndexFunc(folders, func(folder string) bool { return content[askProject] == folder })
	if at < 0 {
		return nil, nil, several
	}
	c.use(c.choice[at])
	return c.current, nil, nil
}

// findNow is find for a resource, whose read cannot ask: the client of the older protocol is sent a request instead.
func (c *Connection) findNow(ctx context.Context) (*opened, error) {
	o, ask, err := c.find(ctx, mcp.MultiRoundTripParams{})
	if ask == nil {
		return o, err
	}
	if roots, err := mcpserver.ServerFromContext(ctx).RequestRoots(ctx, mcp.ListRootsRequest{}); err == nil {
		answer := mcp.InputResponses{askFolders: mcp.NewRootsInputResponse(*roots)}
		if o, ask, err = c.find(ctx, mcp.MultiRoundTripParams{InputResponses: answer}); ask == nil {
			return o, err
		}
	}
	return nil, &store.RequestError{Message: "which project is meant is not known yet", Hint: "call dream_status first"}
}

// take chooses among the projects of the client's folders, as far as it need not ask. What was in use stays in use while it is
// among them.
func (c *Connection) take(roots *mcp.ListRootsResult) error {
	c.choice = nil
	if roots != nil {
		for _, root := range roots.Roots[:min(len(roots.Roots), maxFolders)] {
			folder, ok := folderOf(root.URI)
			if !ok {
				continue
			}
			p, err := c.Open(folder)
			if err != nil {
				return err
			}
			if !slices.ContainsFunc(c.choice, func(o *opened) bool { return o.project.MemoryDir == p.MemoryDir }) {
				c.choice = append(c.choice, c.opened(folder, p))
			}
		}
	}
	switch {
	case len(c.choice) == 1:
		c.use(c.choice[0])
	case len(c.choice) > 0 && !slices.Contains(c.choice, c.current):
		c.current = nil
	}
	return nil
}

// maxFolders bounds the folders of a client that are looked at.
const maxFolders = 64

// opened returns p, or the project with the same memory that was used before.
func (c *Connection) opened(folder string, p *consolidate.Project) *opened {
	for _, o := range c.used {
		if o.project.MemoryDir == p.MemoryDir {
			return o
		}
	}
	return &opened{folder, p, New(p)}
}

func (c *Connection) use(o *opened) {
	c.current = o
	c.allow(o.project)
	if !slices.Contains(c.used, o) {
		c.used = append(c.used, o)
		c.Begin(o.project)
	}
}

// namesFolders reports whether the client of this request can be asked for its folders.
func namesFolders(ctx context.Context) bool {
	session, ok := mcpserver.ClientSessionFromContext(ctx).(mcpserver.SessionWithClientInfo)
	return ok && session.GetClientCapabilities().Roots != nil
}

// folderOf returns the directory that a root names: an absolute path on this machine.
func folderOf(uri string) (string, bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
		return "", false
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	path = filepath.FromSlash(path)
	info, err := os.Stat(path)
	return path, err == nil && info.IsDir() && filepath.IsAbs(path)
}
