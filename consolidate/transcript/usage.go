package transcript

import (
	"slices"
	"strings"
)

// useText is a tool's name and the strings it was given, "Bash: command=ls", each argument on a line
// of its own from the second on.
func useText(name string, input raw) string {
	u := usage{separator: ": "}
	u.text.WriteString(name)
	if !u.write("", input) {
		u = usage{separator: ": "}
		u.text.WriteString(name)
		u.writeOdd("", input)
	}
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

// write writes the strings in a value, the keys of objects in their order. It reports whether no key
// came twice.
func (u *usage) write(path string, v raw) bool {
	if len(v) == 0 || u.text.Len() > maxText {
		return true
	}
	switch v[0] {
	case '"':
		u.argument(path, v.text())
	case '[':
		return array(v, 0, func(i int) int {
			item := raw(nil)
			if i = value(v, i, &item); i == odd || !u.write(path, item) {
				return odd
			}
			return i
		}) != odd
	case '{':
		var arguments []argument
		end := object(v, 0, func(key []byte, i int) int {
			a := argument{key: unquote(key)}
			i = value(v, i, &a.value)
			arguments = append(arguments, a)
			return i
		})
		slices.SortFunc(arguments, func(a, b argument) int { return strings.Compare(a.key, b.key) })
		for i, a := range arguments {
			if end == odd || i > 0 && arguments[i-1].key == a.key || !u.write(joined(path, a.key), a.value) {
				return false
			}
		}
		return end != odd
	}
	return true
}

func joined(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
