package host

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"dream-mcp/consolidate/transcript/said"
)

// VS Code keeps the chats of Copilot in a folder for each workspace, whose directory is in a file beside it: a document
// for each chat, or since 2026 a log of changes to one. What a person typed is a field of a request, unless the request
// was a click.
var vsCode = Host{
	ID: "vscode", Name: "VS Code", Program: "code", Ask: "/mcp.dream.dream",
	Settings: &Settings{
		Place: Place{Applications: true}, Files: []string{"Code/User/mcp.json"}, Project: ".vscode/mcp.json", List: "servers", Entry: typedEntry,
	},
	Sessions: []Sessions{
		{Format: vsCodeFormat("Code/User", "Code - Insiders/User", "VSCodium/User", "Code - OSS/User"), Place: Place{Applications: true}},
		{Format: vsCodeFormat("data/User"), Place: Place{Home: ".vscode-server"}},
		memories("vscode", Place{Applications: true}, []string{"*/User/workspaceStorage/*/GitHub.copilot-chat/memory-tool/memories/repo/*"},
			inFolder("GitHub.copilot-chat", vsCodeOurs), vsCodeEntries),
		memories("vscode", Place{Applications: true}, []string{"*/User/globalStorage/github.copilot-chat/memory-tool/memories/*.md"}, nil, personal),
	},
}

var _ = add(&vsCode)

func vsCodeFormat(users ...string) said.Format {
	f := said.Format{Host: "vscode", Ours: vsCodeOurs, ID: fileID, Whole: vsCodeWhole, Version: []string{"v", "version"}}
	for _, user := range users {
		f.Folders = append(f.Folders, said.Folder{
			Path: user + "/workspaceStorage/*/chatSessions", Why: "VS Code's, of this workspace", Trust: said.ByFolder, Files: []string{"*.json", "*.jsonl"},
		})
	}
	return f
}

// vsCodeOurs returns a filter for the folders of the project's workspaces.
func vsCodeOurs(_ string, roots []string) func(string) bool {
	return func(chats string) bool {
		facts := jsonIn(filepath.Join(filepath.Dir(chats), "workspace.json"), maxMarker)
		dir := pathOf(facts.Field("folder").Text())
		return slices.ContainsFunc(roots, func(root string) bool { return said.Within(root, dir) })
	}
}

func vsCodeWhole(text []byte, _ string) []said.Record {
	head := said.Record{Type: said.MetaType}
	lines := []said.Record{head}
	whole, bad := said.Raw(trimmed(text)), 0
	if !whole.IsWhole() || whole.Field("kind") != nil {
		whole, bad = replay(whole)
	}
	whole.Field("requests").Items(func(request said.Raw) {
		if len(request) == 0 || request[0] != '{' {
			return
		}
		typed := said.Record{UUID: request.Field("requestId"), Timestamp: timeOf(request.Field("timestamp"))}
		if request.Field("confirmation") == nil {
			typed.TypedBlocks(request.Field("message").Field("text").Texts(), nil, asTyped)
		}
		lines = append(lines, typed)
		words, answers := said.Record{Timestamp: typed.Timestamp}, said.Record{Timestamp: typed.Timestamp}
		if !typed.UUID.Empty() {
			words.UUID = said.Quoted(typed.UUID.Text() + "/response")
		}
		if text := vsCodeText(request.Field("response")); text != "" {
			words.Type, words.Message.Blocks = said.AssistantType, typedText(text)
		}
		meta := request.Field("result").Field("metadata")
		results := meta.Field("toolCallResults")
		meta.Field("toolCallRounds").Items(func(round said.Raw) {
			round.Field("toolCalls").Items(func(call said.Raw) {
				id, name := call.Field("id"), call.Field("name")
				if name.Empty() {
					return
				}
				words.Used(id, name, inText(call.Field("arguments")))
				var texts []string
				results.Field(id.Text()).Field("content").Items(func(part said.Raw) {
					if v := part.Field("value"); !v.Empty() {
						texts = append(texts, v.Text())
					}
				})
				if len(texts) > 0 {
					answers.Answered(id, strings.Join(texts, "\n"))
				}
			})
		})
		lines = said.AppendMessage(lines, words, answers)
	})
	return said.AppendBad(lines, bad)
}

// vsCodeText returns what the model said: the parts without a kind, and the references between them.
func vsCodeText(response said.Raw) string {
	var b strings.Builder
	response.Items(func(part said.Raw) {
		switch kind := part.Field("kind"); {
		case kind.Empty() || kind.Is("markdownContent"):
			for _, v := range []said.Raw{part.Field("value"), part.Field("content").Field("value")} {
				b.WriteString(v.Text())
			}
		case kind.Is("inlineReference"):
			b.WriteString(part.Field("name").Text())
		}
	})
	return strings.TrimSpace(b.String())
}

// replay returns the document that a log of changes leads to, and how many of its lines could not be read: 0 sets the
// whole, 1 a value at a path, 2 appends to a list, which is cut first, 3 deletes.
func replay(log []byte) (whole said.Raw, bad int) {
	var root any
	for line := range bytes.Lines(log) {
		var change struct {
			Kind  *int  `json:"kind"`
			Path  []any `json:"k"`
			Value any   `json:"v"`
			Index *int  `json:"i"`
		}
		ended := bytes.HasSuffix(line, []byte("\n"))
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		if d.Decode(&change) != nil || change.Kind == nil {
			if ended {
				bad++
			}
			continue
		}
		root = changed(root, change.Path, func(old any) any {
			switch *change.Kind {
			case 2:
				list, _ := old.([]any)
				if i := change.Index; i != nil && *i >= 0 && *i < len(list) {
					list = list[:*i]
				}
				more, _ := change.Value.([]any)
				return append(list, more...)
			case 3:
				return nil
			}
			return change.Value
		})
	}
	whole, _ = json.Marshal(root)
	return whole, bad
}

// changed returns a value with the one at a path below it changed. Objects that are missing on the way are made;
// elements are not.
func changed(v any, path []any, change func(any) any) any {
	if len(path) == 0 {
		return change(v)
	}
	switch key := path[0].(type) {
	case string:
		object, _ := v.(map[string]any)
		if object == nil {
			object = map[string]any{}
		}
		object[key] = changed(object[key], path[1:], change)
		return object
	case json.Number:
		list, _ := v.([]any)
		i, err := key.Int64()
		switch {
		case err == nil && 0 <= i && i < int64(len(list)):
			list[i] = changed(list[i], path[1:], change)
		case err == nil && i == int64(len(list)):
			list = append(list, changed(nil, path[1:], change))
		}
		return list
	}
	return v
}

// vsCodeEntries are passages, or a fact as JSON.
func vsCodeEntries(path, text string) []remembered {
	if fact := said.Raw(trimmed([]byte(text))); fact.IsWhole() && !fact.Field("fact").Empty() {
		return []remembered{{line: 1, text: fact.Field("fact").Text()}}
	}
	return passages(path, text)
}
