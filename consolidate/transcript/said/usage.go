package said

import "strings"

// useText is a tool's name and the strings it was given, "Bash: command=ls", each argument on a line
// of its own from the second on.
func useText(name string, input raw) string {
	var arguments []string
	size := 0
	var add func(path string, v raw)
	add = func(path string, v raw) {
		switch {
		case len(v) == 0 || size > MaxText:
		case v[0] == '"':
			arguments = append(arguments, path+"="+v.text())
			size += len(path) + len(v)
		case v[0] == '[':
			v.items(func(item raw) { add(path, item) })
		default:
			v.each(func(key string, value raw) { add(strings.TrimPrefix(path+"."+key, "."), value) })
		}
	}
	add("", input)
	if len(arguments) == 0 {
		return name
	}
	return name + ": " + strings.Join(arguments, "\n")
}
