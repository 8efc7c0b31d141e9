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
	"dream-mcp/consolidate/store"
	"dream-mcp/memory"
)

func resources(p *consolidate.Project) []mcpserver.ServerResource {
	return []mcpserver.ServerResource{
		{
			Resource: mcp.NewResource(store.StatusURI, "dream-status", mcp.WithResourceTitle("Dream status"),
				mcp.WithResourceDescription("Gates, the open dream, the last one. Updated as a dream goes on."), mcp.WithMIMEType("application/json")),
			Handler: func(ctx context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
				s, err := p.Status(ctx)
				if err != nil {
					return nil, err
				}
				data, err := plainJSON(s)
				return textResource(r.Params.URI, "application/json", string(data)), err
			},
		},
		{
			Resource: mcp.NewResource(store.LastURI, "last-dream", mcp.WithResourceTitle("Last dream"),
				mcp.WithResourceDescription("Report and diff of the last dream that changed something."), mcp.WithMIMEType("text/plain")),
			Handler: func(ctx context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
				report, err := p.History.LastReport()
				if errors.Is(err, store.ErrUnknown) {
					report, err = "No dream has landed yet.\n", nil
				}
				return textResource(r.Params.URI, "text/plain", cut(p.AllowSecrets.Show(report).Text, MaxAnswer)), err
			},
		},
		{
			Resource: mcp.NewResource("memory://"+memory.IndexFile, "index", mcp.WithResourceTitle("Memory index"),
				mcp.WithResourceDescription("MEMORY.md: a line for each memory."), mcp.WithMIMEType("text/markdown")),
			Handler: func(ctx context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
				return readResource(ctx, p, r.Params.URI)
			},
		},
	}
}

// memoryTemplate is the URI of a memory.
const memoryTemplate = "memory://{+path}"

func templates(p *consolidate.Project) []mcpserver.ServerResourceTemplate {
	return []mcpserver.ServerResourceTemplate{{
		Template: mcp.NewResourceTemplate(memoryTemplate, "memory", mcp.WithTemplateTitle("A memory"),
			mcp.WithTemplateDescription("A memory file by its path, such as memory://user_role.md."), mcp.WithTemplateMIMEType("text/markdown")),
		Handler: func(ctx context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return readResource(ctx, p, r.Params.URI)
		},
	}}
}

// readResource reads the memory that a URI names. The path is parsed like any name that comes from outside.
func readResource(ctx context.Context, p *consolidate.Project, uri string) ([]mcp.ResourceContents, error) {
	path, err := url.PathUnescape(strings.TrimPrefix(uri, "memory://"))
	if err != nil {
		return nil, notFound(uri, err)
	}
	files, err := p.Read(ctx, []string{path})
	if err != nil {
		return nil, err
	}
	if err := files[0].Err; err != nil {
		return nil, notFound(uri, err)
	}
	return textResource(uri, "text/markdown", strings.ToValidUTF8(files[0].Text, "\uFFFD")), nil
}

func notFound(uri string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s", mcp.ErrResourceNotFound, uri)
	}
	return fmt.Errorf("%w: %s: %v", mcp.ErrResourceNotFound, uri, err)
}

func textResource(uri, mime, text string) []mcp.ResourceContents {
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: uri, MIMEType: mime, Text: text}}
}
