package drift

import (
	"cmp"
	"fmt"
	"path"
	"strings"
	"unicode"

	"dream-mcp/memory/lazy"
	"dream-mcp/memory/rule/prose"
)

// fileEndings are endings of what people write into a project; a name with one of them is a file's.
var fileEndings = prose.Set(".go .rs .py .pyi .rb .php .js .jsx .mjs .cjs .ts .tsx .mts .cts .vue .svelte .astro .java .kt " +
	".kts .scala .clj .ex .exs .erl .hs .ml .fs .cs .vb .swift .m .mm .c .cc .cpp .cxx .h .hh .hpp .zig .nim .dart .lua .pl .pm " +
	".r .jl .sh .bash .zsh .fish .ps1 .bat .cmd .sql .proto .graphql .thrift .tf .hcl .css .scss .sass .less .html .htm .hbs " +
	".ejs .erb .haml .pug .twig .j2 .tmpl .md .mdx .rst .adoc .txt .yml .yaml .toml .json .jsonc .ini .cfg .conf .xml .gradle " +
	".properties .plist .nix .cmake .mk .ipynb")

var (
	lineSuffix = lazy.New(`(?:(?::(\d+)(?:[:-]\d+)*)|(?:#L(\d+)(?:-L?\d+)?))$`)
	plainPath  = lazy.New(`^[\pL\pN\pM_.@+\-/()\[\]]+$`)
	placeholds = lazy.New(`(?i)^(?:foo|bar|baz|qux|xxx+|y{4}.*|a{4}.*|j{4}.*|n{3,}.*|name|some.*|your[-_].*|my[-_].*|example.*` +
		`|sample.*|placeholder.*|path|to|\.\.\.|…)$`)
)

// general are stems of files that nearly every project has.
var general = prose.Set("main index app mod lib init __init__ setup test tests util utils helper helpers common script " +
	"config settings claude agents skill readme memory package package-lock tsconfig todo notes changelog license dockerfile types constants")

// hosts are the folders of hosts and tools that every project may have, and hosted what is in them by convention.
var (
	hosts  = prose.Set(".claude .codex .gemini .cursor .agents .vscode .idea .github .config")
	hosted = prose.Set("settings settings.local agents skills commands hooks plans rules plugins memory projects worktrees workflows launch tasks mcp cache")
)

// isConventional reports whether a path is one that many projects have, so that what it names may be another's.
func isConventional(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	if base := path.Base(name); base == ".mcp.json" || strings.HasPrefix(base, ".env") {
		return true // of a machine, and rightly not in git
	}
	return hosts[first] && hosted[strings.ToLower(stem(path.Base(name)))] || !strings.Contains(name, "/") && general[strings.ToLower(stem(name))]
}

// parsePath reads a code span as a path of the project, clean and with slashes; "" where it is none.
func parsePath(text string) string {
	text, _, _ = strings.Cut(text, "::") // a test within a file
	text = lineSuffix.ReplaceAllString(text, "")
	text, _, _ = strings.Cut(text, "#")
	if !plainPath.MatchString(text) || strings.HasPrefix(text, "/") || strings.HasPrefix(text, "@") ||
		strings.HasPrefix(text, "-") || strings.Contains(text, "//") || strings.Contains(text, "..") {
		return ""
	}
	name := path.Clean(text)
	if name == "." || !strings.ContainsFunc(name, unicode.IsLetter) || !strings.Contains(name, "/") && !isFile(name) {
		return ""
	}
	for part := range strings.SplitSeq(name, "/") {
		if placeholds.MatchString(stem(part)) {
			return ""
		}
	}
	return name
}

func stem(base string) string { return strings.TrimSuffix(base, path.Ext(base)) }

// isFile reports whether a name has an ending that only files have.
func isFile(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return len(ext) < len(path.Base(name)) && fileEndings[ext]
}

// judgePath reports a path that the project does not have. Certain is what git once had, and, without git, what has one
// file of its name in another place.
func (p *Project) judgePath(text string) []Missing {
	name := parsePath(text)
	if name == "" {
		return nil
	}
	if p.resolve(name) != "" {
		p.count(&p.checked.Paths, "path "+name)
		return nil
	}
	t := p.listed()
	if t.limited || p.look(name) != absent {
		return nil
	}
	elsewhere := ""
	if others := t.bases[path.Base(name)]; len(others) == 1 && !general[strings.ToLower(stem(path.Base(name)))] {
		elsewhere = others[0]
	}
	m := Missing{Ref: name}
	var never []Missing
	if strings.Contains(name, "/") && isFile(name) {
		never = []Missing{{Ref: name, never: true}}
	}
	if h := p.past(); h.sawChanges() {
		was, by, ok := h.had(name)
		if !ok {
			return never
		}
		if isConventional(name) || p.isIgnored(was) {
			return nil
		}
		became := h.became(was)
		if became == "" && elsewhere == "" {
			became = p.renamed(was, by)
		}
		if became != "" && p.look(became) != present {
			became = ""
		}
		switch became = cmp.Or(became, elsewhere); {
		case became != "":
			m.Message, m.moved = fmt.Sprintf("%q is now %q (%s)", name, became, by), folders(name, became)
			if m.moved != [2]string{} {
				m.by = by
			}
		default:
			m.Message, m.by = fmt.Sprintf("the project has no %q; %s removed it", name, by), by
		}
	} else if strings.Contains(name, "/") && isFile(name) && elsewhere != "" && t.bases[path.Base(path.Dir(name))] != nil {
		m.Message, m.moved = fmt.Sprintf("the project has no %q; the one file of that name is %q", name, elsewhere), folders(name, elsewhere)
	} else {
		return never
	}
	p.count(&p.checked.Paths, "path "+name)
	return []Missing{m}
}

// folders returns the folders from which and to which a path was moved: what is before the part that both have. They
// are empty where the file has another name.
func folders(name, became string) [2]string {
	from, to := strings.Split(name, "/"), strings.Split(became, "/")
	for len(from) > 0 && len(to) > 0 && from[len(from)-1] == to[len(to)-1] {
		from, to = from[:len(from)-1], to[:len(to)-1]
	}
	if len(from) == 0 || len(to) == 0 || isFile(name) && len(from) == strings.Count(name, "/")+1 {
		return [2]string{}
	}
	return [2]string{strings.Join(from, "/"), strings.Join(to, "/")}
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
	return ""
}
