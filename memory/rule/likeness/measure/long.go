package measure

import (
	_ "embed"
	"path"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"dream-mcp/memory/rule/likeness"
)

//go:embed testdata/long.txtar
var long string

// parseLong reads the part of the long set below a folder, "labelled" or "heldout".
func parseLong(part string) []example {
	var examples []example
	families := make(map[string]int)
	for _, f := range txtar.Parse([]byte(long)).Files {
		folder, name := path.Split(f.Name)
		if !strings.HasPrefix(folder, part+"/") {
			continue
		}
		if families[folder] == 0 {
			families[folder] = len(families) + 1
		}
		text := string(f.Data)
		description, _, _ := strings.Cut(strings.TrimLeft(text, "# \n"), "\n")
		examples = append(examples, example{
			Memory: likeness.Memory{Name: name[2:], Description: description, Body: text},
			family: families[folder], letter: name[0], lang: "en",
		})
	}
	return examples
}
