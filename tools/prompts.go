package tools

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"dream-mcp/consolidate"
)

//go:embed review.md
var reviewPrompt string

// instructions are in the first prompt of every session, in hosts that show them.
//
//go:embed instructions.md
var instructions string

// The prompt argument that is completed.
const (
	extractPrompt   = "extract"
	sessionArgument = "session"
)

func prompts(p *consolidate.Project) []mcpserver.ServerPrompt {
	values := func() consolidate.PromptValues {
		return consolidate.PromptValues{Today: p.Now(), MemoryDir: p.MemoryDir, Transcripts: p.TranscriptDirs()}
	}
	return []mcpserver.ServerPrompt{
		{
			Prompt: mcp.NewPrompt("dream", mcp.WithPromptTitle("Dream"),
				mcp.WithPromptDescription("Consolidate the long-term memory of this project: review recent sessions, merge, correct and prune memories, keep the index short."),
				mcp.WithArgument("focus", mcp.ArgumentDescription("what to look at in particular"))),
			Handler: func(ctx context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				p.AskedFor()
				p.PromptRead()
				v := values()
				v.Focus = p.AllowSecrets.Mask(r.Params.Arguments["focus"])
				text, err := consolidate.DreamPrompt(v)
				return promptResult("Dream: consolidate the memory", text), err
			},
		},
		{
			Prompt: mcp.NewPrompt("review", mcp.WithPromptTitle("Review a dream"),
				mcp.WithPromptDescription("Show what a background dream proposes for the memory, and decide whether it lands.")),
			Handler: func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				return promptResult("Review what a background dream proposes", reviewPrompt), nil
			},
		},
		{
			Prompt: mcp.NewPrompt("remember", mcp.WithPromptTitle("Remember"),
				mcp.WithPromptDescription("Save one thing to the long-term memory, well."),
				mcp.WithArgument("what", mcp.ArgumentDescription("what to remember"), mcp.RequiredArgument())),
			Handler: func(ctx context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				v := values()
				v.What = p.AllowSecrets.Mask(r.Params.Arguments["what"])
				text, err := consolidate.RememberPrompt(v)
				if err != nil {
					return nil, fmt.Errorf("%w: the argument \"what\": what should be remembered? %v", mcp.ErrInvalidParams, err)
				}
				return promptResult("Remember one thing", text), nil
			},
		},
		{
			Prompt: mcp.NewPrompt(extractPrompt, mcp.WithPromptTitle("Extract"),
				mcp.WithPromptDescription("Save what one session taught, in a few turns: this conversation, or a past session by its ID."),
				mcp.WithArgument(sessionArgument, mcp.ArgumentDescription("a past session's ID; without it, this conversation"))),
			Handler: func(ctx context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				v := values()
				v.Session = strings.TrimSpace(r.Params.Arguments[sessionArgument])
				text, err := consolidate.ExtractPrompt(v)
				if err != nil {
					return nil, fmt.Errorf("%w: the argument \"session\": %v", mcp.ErrInvalidParams, err)
				}
				return promptResult("Extract what one session taught", text), nil
			},
		},
	}
}

func promptResult(description, text string) *mcp.GetPromptResult {
	return mcp.NewGetPromptResult(description, []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(text))})
}
