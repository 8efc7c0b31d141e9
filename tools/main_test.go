package tools

import (
	"os"
	"testing"

	"dream-mcp/consolidate/tmpfs"
)

func TestMain(m *testing.M) { os.Exit(tmpfs.Run(m.Run)) }
