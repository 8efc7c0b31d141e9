package tools

import (
	"context"
	"encoding/json"

	"dream-mcp/consolidate"
)

const statusRest = `finalize_index {"dry_run": true, "diff": "all"} shows what is staged; in a terminal: dream-mcp status`

func dreamStatus(ctx context.Context, p *consolidate.Project, _ json.RawMessage) (answer, error) {
	s, err := p.Status(ctx)
	return answer{value: s, most: maxPage, rest: statusRest}, err
}
