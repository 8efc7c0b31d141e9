package said

import "strings"

// useText is a tool's name and the strings it was given, "Bash: command=ls", each argument on a line
// of its own from the second on.
func useText(name string, input Raw) string {
	var arguments []string
	size := 0
	var add func(path string, v Raw)
	add = func(path string, v Raw) {
		switch {
		case len(v) == 0 || size > MaxText:
		case v[0] == '"':
			arguments = append(arguments, path+"="+v.Text())
			size += len(path) + len(v)
		case v[0] == '[':
			v.Items(func(item Raw) { add(path, item) })
		default:
			v.Each(func(key string, value Raw) { add(strings.TrimPrefix(path+"."+key, "."), value) })
		}
	}
	add("", input)
	if len(arguments) == 0 {
		return name
	}
	return name + ": " + strings.Join(arguments, "\n")
}
