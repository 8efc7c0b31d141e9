package said

import (
	"slices"
	"strings"
)

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

// An argument is a key of an object that a tool was given, and its value.
type argument struct {
	key   string
	value raw
}

// write writes the strings in a value, the keys of objects in their order.
func (u *usage) write(path string, v raw) {
	if len(v) == 0 || u.text.Len() > MaxText {
		return
	}
	switch v[0] {
	case '"':
		u.argument(path, v.text())
	case '[':
		array(v, 0, func(i int) int {
			var item raw
			end := value(v, i, &item)
			u.write(path, item)
			return end
		})
	case '{':
		var arguments []argument
		v.each(func(key string, value raw) { arguments = append(arguments, argument{key, value}) })
		slices.SortStableFunc(arguments, func(a, b argument) int { return strings.Compare(a.key, b.key) })
		for i, a := range arguments {
			if i+1 == len(arguments) || arguments[i+1].key != a.key { // of a key that comes twice the last value counts
				u.write(below(path, a.key), a.value)
			}
		}
	}
}

func below(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
