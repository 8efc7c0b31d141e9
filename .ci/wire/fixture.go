package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"dream-mcp/server"
)

// The names, URIs and texts here are the suite's.

// What is sent as picture and sound: the suite looks at the type and that there is something.
var (
	picture = base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n"))
	sound   = base64.StdEncoding.EncodeToString([]byte("RIFF\x00\x00\x00\x00WAVE"))
)

// fixture is a server with every kind of content and of question, which the program itself has no use for: the
// loop must carry them all the same.
func fixture() server.Options {
	return server.Options{
		Name: "conformance-fixture", Version: "1",
		Tools:   slices.Concat(contentTools(), questionTools(), formTools()),
		Prompts: append(contentPrompts(), questionPrompt()),
		Resources: []mcpserver.ServerResource{
			{
				Resource: mcp.NewResource("test://static-text", "text", mcp.WithMIMEType("text/plain")),
				Handler:  read("text/plain", "This is the content of the static text resource."),
			},
			{
				Resource: mcp.NewResource("test://static-binary", "picture", mcp.WithMIMEType("image/png")),
				Handler: func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
					return []mcp.ResourceContents{mcp.BlobResourceContents{URI: r.Params.URI, MIMEType: "image/png", Blob: picture}}, nil
				},
			},
		},
		Templates: []mcpserver.ServerResourceTemplate{{
			Template: mcp.NewResourceTemplate("test://template/{id}/data", "template"),
			Handler: func(ctx context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
				id := strings.TrimSuffix(strings.TrimPrefix(r.Params.URI, "test://template/"), "/data")
				return read("application/json", fmt.Sprintf(`{"id":%q,"templateTest":true}`, id))(ctx, r)
			},
		}},
	}
}

func read(kind, text string) mcpserver.ResourceHandlerFunc {
	return func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI, MIMEType: kind, Text: text}}, nil
	}
}

// tool is one without arguments.
func tool(name string, h mcpserver.ToolHandlerFunc) mcpserver.ServerTool {
	t := mcp.NewToolWithRawSchema(name, "what the suite asks of "+name, json.RawMessage(`{"type":"object"}`))
	reads := true
	t.Annotations.ReadOnlyHint = &reads
	return mcpserver.ServerTool{Tool: t, Handler: h}
}

// says is a tool that answers with content.
func says(name string, content ...mcp.Content) mcpserver.ServerTool {
	return tool(name, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: content}, nil
	})
}

func embedded(uri, kind, text string) mcp.Content {
	return mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: uri, MIMEType: kind, Text: text})
}

func contentTools() []mcpserver.ServerTool {
	return []mcpserver.ServerTool{
		says("test_simple_text", mcp.NewTextContent("This is a simple text response for testing.")),
		says("test_image_content", mcp.NewImageContent(picture, "image/png")),
		says("test_audio_content", mcp.NewAudioContent(sound, "audio/wav")),
		says("test_embedded_resource", embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")),
		says("test_multiple_content_types", mcp.NewTextContent("Multiple content types test:"), mcp.NewImageContent(picture, "image/png"),
			embedded("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`)),
		tool("test_error_handling", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultError("This tool intentionally returns an error for testing"), nil
		}),
		tool("test_tool_with_progress", func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if r.Params.Meta == nil || r.Params.Meta.ProgressToken == nil {
				return mcp.NewToolResultText("nobody asked for progress"), nil
			}
			for _, progress := range []int{0, 50, 100} {
				err := mcpserver.ServerFromContext(ctx).SendNotificationToClient(ctx, "notifications/progress",
					map[string]any{"progressToken": r.Params.Meta.ProgressToken, "progress": progress, "total": 100})
				if err != nil {
					return nil, err
				}
			}
			return mcp.NewToolResultText("done"), nil
		}),
		tool("test_logging_tool", func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			err := mcpserver.ServerFromContext(ctx).SendLogMessageToClient(ctx, mcp.LoggingMessageNotification{
				Params: mcp.LoggingMessageNotificationParams{Level: mcp.LoggingLevelEmergency, Data: "not asked for"}})
			return mcp.NewToolResultText(fmt.Sprint("logging: ", err)), nil
		}),
	}
}

func named(prompt string, arguments ...mcp.PromptOption) mcp.Prompt {
	return mcp.NewPrompt(prompt, append(arguments, mcp.WithPromptDescription("what the suite asks of "+prompt))...)
}

func contentPrompts() []mcpserver.ServerPrompt {
	prompt := func(p mcp.Prompt, answer func(map[string]string) []mcp.Content) mcpserver.ServerPrompt {
		return mcpserver.ServerPrompt{Prompt: p, Handler: func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			var messages []mcp.PromptMessage
			for _, c := range answer(r.Params.Arguments) {
				messages = append(messages, mcp.NewPromptMessage(mcp.RoleUser, c))
			}
			return mcp.NewGetPromptResult("", messages), nil
		}}
	}
	return []mcpserver.ServerPrompt{
		prompt(named("test_simple_prompt"), func(map[string]string) []mcp.Content {
			return []mcp.Content{mcp.NewTextContent("This is a simple prompt for testing.")}
		}),
		prompt(named("test_prompt_with_arguments", mcp.WithArgument("arg1", mcp.RequiredArgument()), mcp.WithArgument("arg2", mcp.RequiredArgument())),
			func(a map[string]string) []mcp.Content {
				return []mcp.Content{mcp.NewTextContent(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"]))}
			}),
		prompt(named("test_prompt_with_embedded_resource", mcp.WithArgument("resourceUri", mcp.RequiredArgument())),
			func(a map[string]string) []mcp.Content {
				return []mcp.Content{
					embedded(a["resourceUri"], "text/plain", "Embedded resource content for testing."),
					mcp.NewTextContent("Please process the embedded resource above."),
				}
			}),
		prompt(named("test_prompt_with_image"), func(map[string]string) []mcp.Content {
			return []mcp.Content{mcp.NewImageContent(picture, "image/png"), mcp.NewTextContent("Please analyze the image above.")}
		}),
	}
}
