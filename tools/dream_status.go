package tools

import (
	"context"
	"encoding/json"

	"dream-mcp/consolidate"
)

func dreamStatus(ctx context.Context, p *consolidate.Project, _ json.RawMessage) (answer, error) {
	s, err := p.Status(ctx)
	return answer{value: s}, err
}
