package said

import "strings"

// useText is a tool's name and the strings it was given, "Bash: command=ls", each argument on a line
// of its own from the second on.
func useText(name string, input raw) string {
	u := usage{separator: ": "}
	u.text.WriteString(name)
	u.write("", input)
	return u.text.String()
}

// A usage is the text of a tool's use being written.
type usage struct {
	text      strings.Builder
	separator string
}

func (u *usage) argument(path, text string) {
	for _, s := range []string{u.separator, path, "=", text} {
		u.text.WriteString(s)
	}
	u.separator = "\n"
}

// write writes the strings in a value.
func (u *usage) write(path string, v raw) {
	if len(v) == 0 || u.text.Len() > MaxText {
		return
	}
	switch v[0] {
	case '"':
		u.argument(path, v.text())
	case '[':
		v.items(func(item raw) { u.write(path, item) })
	case '{':
		v.each(func(key string, value raw) { u.write(below(path, key), value) })
	}
}

func below(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
