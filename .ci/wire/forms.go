package main

import (
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// forms are the properties of the forms that the suite wants to be asked with, by the tool that asks.
var forms = map[string]string{
	"test_elicitation": `"username": {"type": "string", "description": "User's response"}, "email": {"type": "string", "description": "User's email address"}`,
	"test_elicitation_sep1034_defaults": `"name": {"type": "string", "default": "John Doe"}, "age": {"type": "integer", "default": 30},
		"score": {"type": "number", "default": 95.5}, "verified": {"type": "boolean", "default": true},
		"status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"}`,
	"test_elicitation_sep1330_enums": `"untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
		"titledSingle": {"type": "string", "oneOf": [{"const": "value1", "title": "First Option"}, {"const": "value2", "title": "Second Option"}]},
		"legacyEnum": {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]},
		"untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
		"titledMulti": {"type": "array", "items": {"anyOf": [{"const": "value1", "title": "First Choice"}, {"const": "value2", "title": "Second Choice"}]}}`,
}

func formTools() (tools []mcpserver.ServerTool) {
	for name, properties := range forms {
		tools = append(tools, asks(name, "", []question{{"form", mcp.MethodElicitationCreate,
			func(b *mcpserver.InputRequestBuilder, key string) *mcpserver.InputRequestBuilder {
				return b.Elicit(key, mcp.ElicitationParams{
					Message: "Please fill in the form.", RequestedSchema: json.RawMessage(`{"type": "object", "properties": {` + properties + `}}`),
				})
			}}}))
	}
	return tools
}
