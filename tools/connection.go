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
	"dream-mcp/consolidate/ops"
	"dream-mcp/memory/secret"
)

// A Connection finds the project of a client that starts its servers in an unrelated folder. It asks the client for its
// folders (MCP roots) at the first call and after they change. A single folder is the project; among several with
// memories of their own the person chooses; without any, Project is used.
type Connection struct {
	// Project is used if the client names no folder. If it is nil, Missing is the reason.
	Project *consolidate.Project
	Missing error
	// Open opens the project of a folder and changes no file. If it is nil, the client is not asked for its folders.
	Open func(folder string) (*consolidate.Project, error)
	// Begin is called with each project before its first use.
	Begin func(*consolidate.Project)

	changed atomic.Bool                    // the client's folders changed after it was asked
	allowed atomic.Pointer[secret.Allowed] // of current; read without mu, which a call may hold for long

	mu      sync.Mutex
	asked   bool
	choice  []opened // the client's folders
	current *consolidate.Project
	used    []*consolidate.Project // a dream open in one of them remains open when another is chosen
}

// opened is a folder of the client, and its project.
type opened struct {
	folder  string
	project *consolidate.Project
}

// The names of the questions to a client.
const (
	askFolders = "folders"
	askProject = "project"
)

// paramsError wraps an error so that its text reaches the client.
func paramsError(err error) error {
	reason, hint, _ := explain(err)
	return fmt.Errorf("%w: %s; %s", mcp.ErrInvalidParams, oneLine(reason), oneLine(hint))
}

// Allowed returns the values that look like credentials but are shown, of the project in use.
func (c *Connection) Allowed() secret.Allowed {
	if a := c.allowed.Load(); a != nil {
		return *a
	}
	return nil
}

// FoldersChanged reports that the client's folders changed.
func (c *Connection) FoldersChanged() { c.changed.Store(true) }

// Close closes the projects that were used.
func (c *Connection) Close(reason string) (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.used {
		err = errors.Join(err, p.Close(reason))
	}
	return err
}

// find returns the project in use, or what to ask the client first. answers are the client's answers so far.
func (c *Connection) find(ctx context.Context, answers mcp.MultiRoundTripParams) (*consolidate.Project, *mcpserver.InputRequestBuilder, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changed.Swap(false) {
		c.asked = false
	}
	if !c.asked && c.Open != nil {
		roots := mcpserver.RootsResponse(answers.InputResponses, askFolders)
		if roots == nil && answers.RequestState != askFolders && namesFolders(ctx) {
			return nil, mcpserver.NewInputRequestBuilder(askFolders).Roots(askFolders), nil
		}
		if err := c.choose(roots); err != nil {
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
	several := ops.Refuse(
		fmt.Sprintf("this client has %d open folders with memories of their own, and none is chosen: %s", len(folders), strings.Join(folders, ", ")),
		"keep only one of them open, or name one in the client's entry for this server: --project DIR")
	answer := mcpserver.ElicitationResponse(answers.InputResponses, askProject)
	if answer == nil && canElicit(ctx) && answers.RequestState != askProject {
		return nil, mcpserver.NewInputRequestBuilder(askProject).Elicit(askProject, mcp.ElicitationParams{
			Message: "Several folders are open. Whose long-term memory should be used until the folders change?",
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
	c.use(c.choice[at].project)
	return c.current, nil, nil
}

// findNow is find for a resource, whose read cannot return a question. A client of the older protocol is sent a
// request.
func (c *Connection) findNow(ctx context.Context) (*consolidate.Project, error) {
	p, ask, err := c.find(ctx, mcp.MultiRoundTripParams{})
	if ask == nil {
		return p, err
	}
	if roots, err := mcpserver.ServerFromContext(ctx).RequestRoots(ctx, mcp.ListRootsRequest{}); err == nil {
		answer := mcp.InputResponses{askFolders: mcp.NewRootsInputResponse(*roots)}
		if p, ask, err = c.find(ctx, mcp.MultiRoundTripParams{InputResponses: answer}); ask == nil {
			return p, err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current == nil {
		return nil, ops.Refuse("the project is not known yet", "call dream_status first")
	}
	return c.current, nil // that of the working directory: the next call of a tool asks
}

// choose opens the projects of the client's folders and uses the only one. Of several it keeps the one in use, if it is
// among them.
func (c *Connection) choose(roots *mcp.ListRootsResult) error {
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
			if !slices.ContainsFunc(c.choice, func(o opened) bool { return o.project.Store.MemoryDir == p.Store.MemoryDir }) {
				c.choice = append(c.choice, opened{folder, c.known(p)})
			}
		}
	}
	switch {
	case len(c.choice) == 1:
		c.use(c.choice[0].project)
	case len(c.choice) > 0 && !slices.ContainsFunc(c.choice, func(o opened) bool { return o.project == c.current }):
		c.current = nil
	}
	return nil
}

// maxFolders bounds the folders of a client that are opened.
const maxFolders = 64

// known returns p, or an earlier project with the same memory.
func (c *Connection) known(p *consolidate.Project) *consolidate.Project {
	for _, earlier := range c.used {
		if earlier.Store.MemoryDir == p.Store.MemoryDir {
			return earlier
		}
	}
	return p
}

func (c *Connection) use(p *consolidate.Project) {
	c.current = p
	c.allowed.Store(&p.Store.AllowSecrets)
	if !slices.Contains(c.used, p) {
		c.used = append(c.used, p)
		c.Begin(p)
	}
}

// namesFolders reports whether the client can be asked for its folders.
func namesFolders(ctx context.Context) bool {
	session, ok := mcpserver.ClientSessionFromContext(ctx).(mcpserver.SessionWithClientInfo)
	return ok && session.GetClientCapabilities().Roots != nil
}

// clientName returns what the client calls itself.
func clientName(ctx context.Context) string {
	session, ok := mcpserver.ClientSessionFromContext(ctx).(mcpserver.SessionWithClientInfo)
	if !ok {
		return ""
	}
	return session.GetClientInfo().Name
}

// folderOf returns the local directory that a root names.
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
