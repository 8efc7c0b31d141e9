package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/ops"
	"dream-mcp/memory"
	"dream-mcp/memory/secret"
)

// memoryTemplate is the URI of a memory.
const memoryTemplate = "memory://{+path}"

func (c *Connection) resources() []mcpserver.ServerResource {
	serve := func(uri, name, title, description, mime string, read reader) mcpserver.ServerResource {
		return mcpserver.ServerResource{
			Resource: mcp.NewResource(uri, name, mcp.WithResourceTitle(title), mcp.WithResourceDescription(description), mcp.WithMIMEType(mime)),
			Handler:  c.reads(mime, read),
		}
	}
	return []mcpserver.ServerResource{
		serve("dream://status", "dream-status", "Dream status", "Gates, the open dream, the last one. Updated as a dream goes on.", "application/json",
			func(ctx context.Context, p *consolidate.Project, _ string) (string, error) {
				s, err := p.Status(ctx)
				if err != nil {
					return "", err
				}
				data, err := secret.JSON(s)
				return string(bounded(data, maxAnswer, statusRest)), err
			}),
		serve("dream://last", "last-dream", "Last dream", "Report and diff of the last dream or other change.", "text/plain",
			func(ctx context.Context, p *consolidate.Project, _ string) (string, error) {
				report, err := p.History.LastReport(ctx)
				if errors.Is(err, ops.ErrNothing) {
					report, err = "No dream has landed yet.\n", nil
				}
				return cut(p.Store.AllowSecrets.Show(report).Text, maxAnswer), err
			}),
		serve("memory://"+memory.IndexFile, "index", "Memory index", "MEMORY.md: a line for each memory.", "text/markdown", readResource),
	}
}

func (c *Connection) templates() []mcpserver.ServerResourceTemplate {
	return []mcpserver.ServerResourceTemplate{{
		Template: mcp.NewResourceTemplate(memoryTemplate, "memory", mcp.WithTemplateTitle("A memory"),
			mcp.WithTemplateDescription("A memory file by its path, such as memory://user_role.md."), mcp.WithTemplateMIMEType("text/markdown")),
		Handler: c.reads("text/markdown", readResource),
	}}
}

// A reader returns the text of a resource.
type reader func(ctx context.Context, p *consolidate.Project, uri string) (string, error)

func (c *Connection) reads(mime string, read reader) func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	return func(ctx context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		p, err := c.findNow(ctx)
		if err != nil {
			return nil, paramsError(err)
		}
		text, err := read(ctx, p, r.Params.URI)
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI, MIMEType: mime, Text: text}}, err
	}
}

// readResource reads the memory that a URI names. The path is parsed like any name that comes from outside.
func readResource(ctx context.Context, p *consolidate.Project, uri string) (string, error) {
	path, err := url.PathUnescape(strings.TrimPrefix(uri, "memory://"))
	if err != nil {
		return "", notFound(uri, err)
	}
	f, err := p.Look(ctx, path)
	if err != nil {
		return "", err
	}
	if f.Err != nil {
		return "", notFound(uri, f.Err)
	}
	return strings.ToValidUTF8(f.Text, "\uFFFD"), nil
}

func notFound(uri string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s", mcp.ErrResourceNotFound, uri)
	}
	return fmt.Errorf("%w: %s: %v", mcp.ErrResourceNotFound, uri, err)
}
