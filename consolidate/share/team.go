package share

import (
	"strings"

	"dream-mcp/memory"
)

// IsTeam reports whether a memory is of a type that a team shares.
func IsTeam(data []byte) bool {
	kind := memory.ParseTopic(data).Type()
	return kind == memory.TypeProject || kind == memory.TypeReference
}

// view is what travels of a memory: all that may, or in a team the memories about the project, without what they were learned from, and
// the lines of the index that are about them.
func (s *Share) view(local Files) Files {
	out := Files{}
	for n, data := range local {
		switch {
		case !travels(n) || n.IsIndex():
		case !s.Team:
			out[n] = data
		case IsTeam(data):
			if data = withoutSources(data); memory.ParseTopic(data).Sources() == nil {
				out[n] = data
			}
		}
	}
	index, has := local[indexName]
	if !s.Team && has {
		out[indexName] = index
	}
	if s.Team {
		var lines strings.Builder
		for _, line := range memory.ParseIndex(index).Segments() {
			if n, err := memory.ParseName(line.Entry()); err == nil && out[n] != nil {
				lines.WriteString(line.Text)
			}
		}
		if lines.Len() > 0 {
			out[indexName] = []byte(lines.String())
		}
	}
	return out
}

var indexName, _ = memory.ParseName(memory.IndexFile)

func withoutSources(data []byte) []byte {
	head, body := memory.ParseTopic(data).Segments()
	var b strings.Builder
	b.WriteString("---\n")
	for _, s := range head {
		if key := s.Field(); key != "sources" && key != "metadata.sources" {
			b.WriteString(s.Text)
		}
	}
	b.WriteString("---\n")
	for _, s := range body {
		b.WriteString(s.Text)
	}
	return []byte(b.String())
}

// checkTeam refuses what a team does not share, and a memory that is private here and the team's elsewhere.
func (s *Share) checkTeam(theirs, local Files) error {
	for n, data := range theirs {
		if !s.Team || n.IsIndex() {
			continue
		}
		if !IsTeam(data) {
			return hostile("%q, which is of a kind that a team does not share", n)
		}
		if have, is := local[n]; is && !IsTeam(have) {
			return hostile("%q, which is a private memory here: rename one of the two", n)
		}
	}
	return nil
}
