package rule

import (
	"fmt"
	"sync"
	"testing"

	"dream-mcp/memory"
)

// A listing asks for several texts at the same time.
func TestSaysAtTheSameTime(t *testing.T) {
	n, err := memory.ParseName("lamp.md")
	if err != nil {
		t.Fatal(err)
	}
	says := Says(map[memory.Name]*memory.Topic{n: memory.ParseTopic([]byte("---\nname: lamp\n---\n\nThe lamp needs 12 V.\n"))})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for k := range 200 {
				says(fmt.Sprintf("The lamp stands in cellar%c%c, which needs many batteries.", rune(97+i), rune(97+k)))
			}
		})
	}
	all.Wait()
}
