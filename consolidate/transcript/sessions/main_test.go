package sessions

import (
	"os"
	"testing"

	"dream-mcp/testdata/tmpfs"
)

func TestMain(m *testing.M) { os.Exit(tmpfs.Run(m.Run)) }
