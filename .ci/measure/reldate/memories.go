package measure

import (
	_ "embed"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"dream-mcp/memory/rule/reldate"
)

//go:embed testdata/memories.txtar
var memories string

// measureMemories scores the whole memories of one part of the set, and says each error.
func measureMemories(part string) (s score, errors []string) {
	for _, file := range txtar.Parse([]byte(memories)).Files {
		name, ok := strings.CutPrefix(file.Name, part+"/")
		if !ok {
			continue
		}
		var text strings.Builder
		want := make(map[int]bool)
		for i, piece := range strings.Split(string(file.Data), "{") {
			if i > 0 {
				want[text.Len()] = true
				piece = strings.Replace(piece, "}", "", 1)
			}
			text.WriteString(piece)
		}
		s.sentences++
		for _, hit := range reldate.Find(text.String()) {
			if want[hit.From] {
				s.right++
				delete(want, hit.From)
			} else {
				s.wrong++
				errors = append(errors, name+" wrong "+hit.Text+" in "+hit.Sentence)
			}
		}
		for at := range want {
			s.lost++
			row, _, _ := strings.Cut(text.String()[at:], "\n")
			errors = append(errors, name+" lost "+row)
		}
	}
	return s, errors
}
