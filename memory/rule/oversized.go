package rule

import (
	"fmt"

	"dream-mcp/memory"
)

// largeTopic is what one recall should load at most, in bytes. Half of real topics have less than
// 1.8 KB.
const largeTopic = 8 << 10

func findOversized(_ *view, n memory.Name, t *memory.Topic) []Finding {
	size := len(t.Body())
	if size <= largeTopic || isPage(n) {
		return nil
	}
	return []Finding{{
		File: n.String(), subject: "size",
		Message: fmt.Sprintf("this memory has %d KB, and should have at most %d", (size+1023)/1024, largeTopic/1024),
		Hint:    "keep what is needed each time, and move the rest to memories of its own, named in this one by [[name]]",
	}}
}
