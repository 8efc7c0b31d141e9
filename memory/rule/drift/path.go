package drift

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"dream-mcp/memory/lazy"
	"dream-mcp/memory/rule/prose"
)

// pathRef is what a code span names as a file or a folder.
type pathRef struct {
	name string // clean, with slashes
	line int    // 0: none
}

// fileEndings are endings of what people write into a project; a name with one of them is a file's.
var fileEndings = prose.Set(".go .rs .py .pyi .rb .php .js .jsx .mjs .cjs .ts .tsx .mts .cts .vue .svelte .astro .java .kt " +
	".kts .scala .clj .ex .exs .erl .hs .ml .fs .cs .vb .swift .m .mm .c .cc .cpp .cxx .h .hh .hpp .zig .nim .dart .lua .pl .pm " +
	".r .jl .sh .bash .zsh .fish .ps1 .bat .cmd .sql .proto .graphql .thrift .tf .hcl .css .scss .sass .less .html .htm .hbs " +
	".ejs .erb .haml .pug .twig .j2 .tmpl .md .mdx .rst .adoc .txt .yml .yaml .toml .json .jsonc .ini .cfg .conf .xml .gradle " +
	".properties .plist .nix .cmake .mk .ipynb")

var (
	lineSuffix = lazy.New(`(?:(?::(\d+)(?:[:-]\d+)*)|(?:#L(\d+)(?:-L?\d+)?))$`)
	plainPath  = lazy.New(`^[\pL\pN\pM_.@+\-/()\[\]]+$`)
	placeholds = lazy.New(`(?i)^(?:foo|bar|baz|qux|xxx+|y{4}.*|n{3,}.*|name|some.*|your[-_].*|my[-_].*|example.*` +
		`|sample.*|placeholder.*|path|to|\.\.\.|…)$`)
)

// general are stems of files that nearly every project has.
var general = prose.Set("main index app mod lib init __init__ setup test tests util utils helper helpers common script " +
	"config settings claude agents skill readme memory package package-lock tsconfig todo notes changelog license dockerfile types constants")

// parsePath reads a code span as a path of the project; false where it is none.
func parsePath(text string) (pathRef, bool) {
	var r pathRef
	text, _, _ = strings.Cut(text, "::") // a test within a file
	if m := lineSuffix.FindStringSubmatch(text); m != nil {
		text = strings.TrimSuffix(text, m[0])
		r.line, _ = strconv.Atoi(m[1] + m[2])
	}
	text, _, _ = strings.Cut(text, "#")
	if !plainPath.MatchString(text) || strings.HasPrefix(text, "/") || strings.HasPrefix(text, "@") ||
		strings.HasPrefix(text, "-") || strings.Contains(text, "//") || strings.Contains(text, "..") {
		return r, false
	}
	r.name = path.Clean(text)
	if r.name == "." || !strings.ContainsFunc(r.name, unicode.IsLetter) {
		return r, false
	}
	for part := range strings.SplitSeq(r.name, "/") {
		if placeholds.MatchString(stem(part)) {
			return r, false
		}
	}
	return r, strings.Contains(r.name, "/") || isFile(r.name)
}

func stem(base string) string { return strings.TrimSuffix(base, path.Ext(base)) }

// isFile reports whether a name has an ending that only files have.
func isFile(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return len(ext) < len(path.Base(name)) && fileEndings[ext]
}

// judgePath reports a path that the project does not have and once had, or, without git, would have to have.
func (p *Project) judgePath(r pathRef) (Hit, bool) {
	t := p.listed()
	if found := p.resolve(r.name); found != "" {
		return p.judgeLine(r, found)
	}
	if t.limited && !strings.Contains(r.name, "/") || p.look(r.name) != absent {
		return Hit{}, false
	}
	h := Hit{Ref: r.name, Message: fmt.Sprintf("the project has no %q", r.name)}
	if past := p.past(); past.sawChanges() {
		became, once := past.had(r)
		switch {
		case !once || p.isIgnored(r.name):
			return Hit{}, false
		case became != "" && p.look(became) == present:
			h.Message, h.Nearest = h.Message+"; git renamed it", became
			return h, true
		}
		h.Message += "; git deleted it"
	} else if kind := kindOf(r.name); !isFile(r.name) || !t.kinds[kind] || kind[0] == '/' || kind[0] == '.' || past != nil && p.isIgnored(r.name) {
		// Without a history, a file is missed where the project has others of its kind in the same folder or below.
		return Hit{}, false
	}
	if others := t.bases[path.Base(r.name)]; len(others) == 1 {
		h.Nearest = others[0]
	}
	return h, true
}

// kindOf returns the first folder of a path and the ending of its file: "internal/.go".
func kindOf(name string) string {
	first, _, below := strings.Cut(name, "/")
	if !below {
		first = ""
	}
	return first + "/" + path.Ext(name)
}

// resolve returns where a path is: below the project's folder, or below a folder of it; "" where it is not.
func (p *Project) resolve(name string) string {
	if p.look(name) == present {
		return name
	}
	for _, other := range p.listed().bases[path.Base(name)] {
		if strings.HasSuffix(other, "/"+name) {
			return other
		}
	}
	// The project's own folder may be named before the path.
	if first, rest, ok := strings.Cut(name, "/"); ok && first == path.Base(strings.ReplaceAll(p.root.Name(), `\`, "/")) && p.look(rest) == present {
		return rest
	}
	return ""
}

// isPrefix reports whether some file's path has spaces and shares a word with a text: "docs/My Plan.md".
func (p *Project) isPrefix(text string) bool {
	return slices.ContainsFunc(p.listed().spaced, func(name string) bool {
		first, _, _ := strings.Cut(name, " ")
		return strings.Contains(text, first+" ") || strings.HasSuffix(text, first)
	})
}

// maxCounted bounds, in bytes, a file whose lines are counted.
const maxCounted = 4 << 20

// judgeLine reports a line that a file does not have.
func (p *Project) judgeLine(r pathRef, found string) (Hit, bool) {
	if r.line == 0 {
		return Hit{}, false
	}
	data, _, err := readFile(p.root, found, maxCounted)
	if err != nil || len(data) == maxCounted {
		return Hit{}, false
	}
	lines := bytes.Count(data, []byte("\n"))
	if len(data) > 0 && data[len(data)-1] != '\n' {
		lines++
	}
	if r.line <= lines {
		return Hit{}, false
	}
	return Hit{Ref: fmt.Sprintf("%s:%d", r.name, r.line), Message: fmt.Sprintf("%q has only %d lines, not %d", found, lines, r.line)}, true
}
