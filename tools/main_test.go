package tools

import (
	"os"
	"testing"

	"dream-mcp/server/endtoend/tmpfs"
)

func TestMain(m *testing.M) { os.Exit(tmpfs.Run(m.Run)) }
