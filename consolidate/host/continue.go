package host

import "dream-mcp/consolidate/transcript/said"

// Continue rewrites one file a session. What a person typed is the content of a message; what was put beside it is
// apart. Messages have no times. What a tool answered is beside its call, or in a message of its own.
var continueDev = Host{
	ID: "continue", Name: "Continue", Program: "cn", Tried: "1.5.47",
	Sessions: []Sessions{{
		Format: said.Format{
			Host:    "continue",
			Folders: []said.Folder{{Path: "sessions", Why: "Continue's, of all projects: those that ran here", Files: []string{"*.json"}}},
			ID:      fileID, Whole: continueWhole,
		},
		Place: Place{Variable: "CONTINUE_GLOBAL_DIR", Home: ".continue"},
	}},
}

var _ = add(&continueDev)

func continueWhole(text []byte, _ string) []said.Record {
	whole := said.Raw(trimmed(text))
	head := said.Record{Type: said.MetaType}
	if !whole.IsWhole() {
		return said.AppendBad([]said.Record{head}, 1)
	}
	head.CWD = said.Quoted(pathOf(whole.Field("workspaceDirectory").Text()))
	lines := []said.Record{head}
	whole.Field("history").Items(func(item said.Raw) {
		words, answers := said.Record{CWD: head.CWD}, said.Record{CWD: head.CWD}
		message := item.Field("message")
		content := message.Field("content")
		switch role := message.Field("role"); {
		case role.Is("user"):
			words.TypedBlocks(content.Texts(), nil, asTyped)
		case role.Is("assistant"):
			words.Type, words.Message.Blocks = said.AssistantType, content.Texts()
			message.Field("toolCalls").Items(func(call said.Raw) { usedFunction(&words, call) })
			item.Field("toolCallStates").Items(func(call said.Raw) { answers.Answered(call.Field("toolCallId"), continueOutput(call)) })
		case role.Is("tool"):
			answers.Answered(message.Field("toolCallId"), said.Joined(content.Texts()))
		}
		lines = said.AppendMessage(lines, words, answers)
	})
	return lines
}

// continueOutput is the text of what a tool answered.
func continueOutput(call said.Raw) string {
	var blocks []said.Block
	call.Field("output").Items(func(part said.Raw) { blocks = append(blocks, part.Field("content").Texts()...) })
	return said.Joined(blocks)
}
