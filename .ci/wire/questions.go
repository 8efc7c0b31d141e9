package main

import (
	"context"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// A question is what a tool wants to know of the client, by the key that its answer has.
type question struct {
	key    string
	method mcp.MCPMethod
	add    func(*mcpserver.InputRequestBuilder, string) *mcpserver.InputRequestBuilder
}

func elicit(key string) question {
	return question{key, mcp.MethodElicitationCreate, func(b *mcpserver.InputRequestBuilder, key string) *mcpserver.InputRequestBuilder {
		return b.Elicit(key, mcp.ElicitationParams{Message: "What is your name?", RequestedSchema: map[string]any{
			"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}, "required": []string{"name"},
		}})
	}}
}

func sample(key string) question {
	return question{key, mcp.MethodSamplingCreateMessage, func(b *mcpserver.InputRequestBuilder, key string) *mcpserver.InputRequestBuilder {
		return b.Sample(key, mcp.CreateMessageParams{MaxTokens: 100, Messages: []mcp.SamplingMessage{
			{Role: mcp.RoleUser, Content: mcp.NewTextContent("What is the capital of France?")},
		}})
	}}
}

func roots(key string) question {
	return question{key, mcp.MethodListRoots, (*mcpserver.InputRequestBuilder).Roots}
}

// asked is the request for what is not answered yet, or not with what can be read; nil when all is.
func asked(state string, answers mcp.InputResponses, questions ...question) *mcpserver.InputRequestBuilder {
	b, missing := mcpserver.NewInputRequestBuilder(state), false
	for _, q := range questions {
		if a, answered := mcpserver.InputResponse(answers, q.key); !answered || a.DecodeFor(q.method) != nil {
			b, missing = q.add(b, q.key), true
		}
	}
	if !missing {
		return nil
	}
	return b
}

// asks is a tool that wants answers, in rounds; the state says which round was asked last. A state that it never
// gave out is refused.
func asks(name, state string, rounds ...[]question) mcpserver.ServerTool {
	return tool(name, func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		said := r.Params.RequestState
		for i, questions := range rounds {
			mark := ""
			if state != "" {
				mark = fmt.Sprint(state, "-", i)
			}
			switch {
			case said == "" && i == 0 || said == mark:
				if b := asked(mark, r.Params.InputResponses, questions...); b != nil {
					return b.ToolResult(), nil
				}
				if i+1 < len(rounds) {
					return asked(fmt.Sprint(state, "-", i+1), nil, rounds[i+1]...).ToolResult(), nil
				}
				return mcp.NewToolResultText("state-ok: " + fmt.Sprint(r.Params.InputResponses)), nil
			}
		}
		return nil, fmt.Errorf("requestState is none of ours: %w", mcp.ErrInvalidParams)
	})
}

func questionTools() []mcpserver.ServerTool {
	return []mcpserver.ServerTool{
		asks("test_input_required_result_elicitation", "", []question{elicit("user_name")}),
		asks("test_input_required_result_sampling", "", []question{sample("capital_question")}),
		asks("test_input_required_result_list_roots", "", []question{roots("client_roots")}),
		asks("test_input_required_result_request_state", "state", []question{elicit("confirm")}),
		asks("test_input_required_result_multiple_inputs", "state", []question{elicit("user_name"), sample("greeting"), roots("client_roots")}),
		asks("test_input_required_result_multi_round", "round", []question{elicit("step1")}, []question{elicit("step2")}),
		asks("test_input_required_result_tampered_state", "state", []question{elicit("confirm")}),
		asks("test_missing_capability", "", []question{sample("any")}),
		asks("test_streaming_elicitation", "", []question{elicit("any")}),
		tool("test_input_required_result_capabilities", func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var able []question
			can := mcpserver.ClientSessionFromContext(ctx).(mcpserver.SessionWithClientInfo).GetClientCapabilities()
			if can.Elicitation != nil {
				able = append(able, elicit("elicitation"))
			}
			if can.Sampling != nil {
				able = append(able, sample("sampling"))
			}
			return asked("state", nil, able...).ToolResult(), nil
		}),
	}
}

func questionPrompt() mcpserver.ServerPrompt {
	return mcpserver.ServerPrompt{
		Prompt: named("test_input_required_result_prompt"),
		Handler: func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			if b := asked("", r.Params.InputResponses, elicit("user_context")); b != nil {
				return b.PromptResult(), nil
			}
			return mcp.NewGetPromptResult("", []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent("in context"))}), nil
		},
	}
}
