package tools

import (
	"context"
	"encoding/json"

	"dream-mcp/consolidate"
)

var dreamStatus = tool{
	name:  "dream_status",
	title: "Is a dream due?",
	description: "Memory consolidation status: is a dream due, which gate is closed and why, which dream is open, what the last one did, and where memory and transcripts are. " +
		"Call it first. Starts nothing.",
	input: `{"type":"object","properties":{},"additionalProperties":false}`,
	output: `{"type":"object","properties":{"memory_dir":{"type":"string"},"transcript_dirs":{"type":"array"},"hosts":{"type":"array"},"due":{"type":"boolean"},"unattended":{"type":"boolean"},"closed_gate":{"type":"string"},
		"gates":{"type":"array","items":{"type":"object"}},
		"dream":{"anyOf":[{"type":"object"},{"type":"null"}]},"last":{"anyOf":[{"type":"object"},{"type":"null"}]},"warnings":{"type":"array"}},"required":["memory_dir","due","gates","dream","last","warnings"]}`,
	readOnly: true, idempotent: true, always: true,
	call: func(ctx context.Context, p *consolidate.Project, _ json.RawMessage) (answer, error) {
		s, err := p.Status(ctx)
		return answer{value: s}, err
	},
}
