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

// prompt is one row of the table of prompts.
type prompt struct {
	mcp.Prompt
	result string // the description of the text
	text   func(p *consolidate.Project, v consolidate.PromptValues, arguments map[string]string) (string, error)
}

var prompts = []prompt{
	{
		Prompt: mcp.NewPrompt("dream", mcp.WithPromptTitle("Dream"),
			mcp.WithPromptDescription("Consolidate the memory of this project: review recent sessions, merge, correct and prune."),
			mcp.WithArgument("focus", mcp.ArgumentDescription("what to look at in particular"))),
		result: "Dream: consolidate the memory",
		text: func(p *consolidate.Project, v consolidate.PromptValues, arguments map[string]string) (string, error) {
			p.Gates.AskedFor()
			p.PromptRead()
			v.Focus = p.Store.AllowSecrets.Mask(arguments["focus"])
			return consolidate.DreamPrompt(v)
		},
	},
	{
		Prompt: mcp.NewPrompt("review", mcp.WithPromptTitle("Review a dream"),
			mcp.WithPromptDescription("Show what a background dream proposes, and decide whether it lands.")),
		result: "Review what a background dream proposes",
		text: func(*consolidate.Project, consolidate.PromptValues, map[string]string) (string, error) {
			return reviewPrompt, nil
		},
	},
	{
		Prompt: mcp.NewPrompt("remember", mcp.WithPromptTitle("Remember"),
			mcp.WithPromptDescription("Save one thing to the long-term memory, well."),
			mcp.WithArgument("what", mcp.ArgumentDescription("what to remember"), mcp.RequiredArgument())),
		result: "Remember one thing",
		text: func(p *consolidate.Project, v consolidate.PromptValues, arguments map[string]string) (string, error) {
			v.What = p.Store.AllowSecrets.Mask(arguments["what"])
			text, err := consolidate.RememberPrompt(v)
			if err != nil {
				return "", fmt.Errorf("%w: the argument \"what\": what should be remembered? %v", mcp.ErrInvalidParams, err)
			}
			return text, nil
		},
	},
	{
		Prompt: mcp.NewPrompt(extractPrompt, mcp.WithPromptTitle("Extract"),
			mcp.WithPromptDescription("Save what this conversation taught, or a past session by its ID."),
			mcp.WithArgument(sessionArgument, mcp.ArgumentDescription("a past session's ID; without it, this conversation"))),
		result: "Extract what one session taught",
		text: func(_ *consolidate.Project, v consolidate.PromptValues, arguments map[string]string) (string, error) {
			v.Session = strings.TrimSpace(arguments[sessionArgument])
			text, err := consolidate.ExtractPrompt(v)
			if err != nil {
				return "", fmt.Errorf("%w: the argument \"session\": %v", mcp.ErrInvalidParams, err)
			}
			return text, nil
		},
	},
}

func (t prompt) serve(c *Connection) mcpserver.ServerPrompt {
	return mcpserver.ServerPrompt{Prompt: t.Prompt, Handler: func(ctx context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		p, ask, err := c.find(ctx, r.Params.MultiRoundTripParams)
		switch {
		case err != nil:
			return nil, paramsError(err)
		case ask != nil:
			return ask.PromptResult(), nil
		}
		text, err := t.text(p, consolidate.PromptValues{Today: p.Store.Now(), MemoryDir: p.Store.MemoryDir}, r.Params.Arguments)
		if err != nil {
			return nil, err
		}
		return mcp.NewGetPromptResult(t.result, []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(text))}), nil
	}}
}
