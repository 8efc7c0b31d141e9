package recall

import (
	"path"
	"slices"
	"strings"
)

// ForTool returns the feedback that names in backticks what a tool is about to touch: a file by its path or name, a
// folder above it with a slash at the end, or a command by its first words. file and command are "" if the tool has
// none.
func ForTool(file, command string, all []Memory) (named []Note) {
	file = "/" + strings.Trim(strings.ReplaceAll(file, `\`, "/"), "/")
	var calls [][]string
	for _, call := range strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune("|&;\n()", r) }) {
		calls = append(calls, strings.Fields(call))
	}
	for i := range all {
		if all[i].Type != "feedback" || len(named) == maxChosen {
			continue
		}
		if slices.ContainsFunc(all[i].spans(), func(span string) bool { return touches(span, file) || begins(span, calls) }) {
			named = append(named, Note{Memory: &all[i]})
		}
	}
	return named
}

// spans returns the texts in backticks.
func (m *Memory) spans() (all []string) {
	for i, part := range strings.Split(m.Description+"\n"+m.Body, "`") {
		if i%2 == 1 && len(part) > 2 && !strings.Contains(part, "\n") {
			all = append(all, strings.TrimSpace(part))
		}
	}
	return all
}

// touches reports whether a span names a file, or a folder above it. One such as *.go names too many.
func touches(span, file string) bool {
	span = strings.TrimPrefix(span, "./")
	if file == "/" || strings.Contains(span, " ") || !strings.ContainsAny(span, "/.") || strings.HasPrefix(span, "*.") {
		return false
	}
	span = strings.TrimPrefix(span, "/")
	if strings.HasSuffix(span, "/") {
		return strings.Contains(file, "/"+span)
	}
	depth := strings.Count(span, "/") + 1 // a pattern is compared with as many of the last elements
	elements := strings.Split(file, "/")
	matched, _ := path.Match(span, strings.Join(elements[max(0, len(elements)-depth):], "/"))
	return matched
}

// begins reports whether one of the calls begins with the words of a span. A single word does not count, since it
// would match every call of a program.
func begins(span string, calls [][]string) bool {
	words := strings.Fields(span)
	return len(words) > 1 && slices.ContainsFunc(calls, func(call []string) bool {
		return len(call) >= len(words) && slices.Equal(call[:len(words)], words)
	})
}
