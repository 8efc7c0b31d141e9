package drift

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// pathRef is what a code span names as a file or a folder.
type pathRef struct {
	name   string // clean, with slashes
	line   int    // 0: none
	folder bool   // it ended with a slash
}

// base returns the last part.
func (r pathRef) base() string { return path.Base(r.name) }

// sourceExts are endings of what people write into a project; of a name with one of them it can be told
// that it is a file.
var sourceExts = dotted(sourceEndings)

const sourceEndings = "go rs py pyi rb php js jsx mjs cjs ts tsx mts cts vue svelte astro java kt kts scala groovy clj cljs ex exs erl hs ml mli fs fsx cs vb swift m mm c cc cpp cxx h hh hpp hxx zig nim dart lua pl pm r jl sh bash zsh fish ps1 bat cmd sql proto graphql gql thrift tf tfvars hcl css scss sass less styl html htm xhtml hbs ejs erb haml pug twig jinja j2 tmpl tpl mustache"

// textExts are endings of configuration and documents.
var textExts = dotted("md mdx mdc rst adoc txt yml yaml toml json jsonc json5 ini cfg conf xml gradle properties plist service timer nix cmake mk lock sum mod work bazel bzl dockerfile env")

// dataExts are endings of what programs read and write: such a file comes and goes.
var dataExts = dotted("csv tsv xlsx xls parquet db sqlite sqlite3 log png jpg jpeg gif webp ico svg pdf zip gz tgz tar bz2 xz zst woff woff2 ttf mp3 mp4 wav bin exe dll so dylib jar war class pyc wasm map bak tmp pid sock pem crt key pub snap out dump patch diff")

func dotted(words string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(words) {
		set["."+word] = true
	}
	return set
}

var (
	lineSuffix = regexp.MustCompile(`(?:(?::(\d+)(?:[:-]\d+)*)|(?:#L(\d+)(?:-L?\d+)?))$`)
	plainPath  = regexp.MustCompile(`^[\pL\pN\pM_.@+\-/]+$`)
	version    = regexp.MustCompile(`^v\d+$`)
	placeholds = regexp.MustCompile(`(?i)^(?:foo|bar|baz|qux|xxx+|y{4}.*|n{3,}.*|name|some.*|your[-_].*|my[-_].*|example.*|sample.*|placeholder.*|path|to|\.\.\.|…)$`)
	memoryName = regexp.MustCompile(`(?i)^(?:user|feedback|project|reference)[-_].*\.md$`)
	product    = regexp.MustCompile(`(?i)^(?:node|next|vue|nuxt|react|angular|express|nest|three|d3|chart|alpine|ember|backbone|moment|day|p5|discord|socket|video|require|handlebars|solid|preact|deno|bun|electron|fabric|pixi|phaser|paper|hls|pdf|plotly|leaflet|anime|matter|tensorflow|brain|polymer|meteor|sails|koa|knockout|riot|stencil|lit|qwik|remix|redwood|blitz|asp|vb|ml)\.(?:js|ts|net)$`)
)

// parsePath reads a code span as a path of the project; false where it is none, or where it can't be told.
func parsePath(text string) (pathRef, bool) {
	var r pathRef
	if before, _, ok := strings.Cut(text, "::"); ok && strings.Contains(before, ".") && isKnownFile(before) {
		text = before // a test within a file
	}
	if m := lineSuffix.FindStringSubmatch(text); m != nil {
		text = strings.TrimSuffix(text, m[0])
		r.line, _ = strconv.Atoi(m[1] + m[2])
	}
	text, _, _ = strings.Cut(text, "#")
	r.folder = strings.HasSuffix(text, "/")
	if !plainPath.MatchString(text) || strings.HasPrefix(text, "/") || strings.HasPrefix(text, "@") || strings.HasPrefix(text, "-") || strings.Contains(text, "//") || strings.Contains(text, "..") {
		return r, false
	}
	dotSlash := strings.HasPrefix(text, "./")
	r.name = path.Clean(text)
	if r.name == "." || !strings.ContainsFunc(r.name, unicode.IsLetter) {
		return r, false
	}
	for part := range strings.SplitSeq(r.name, "/") {
		stem := strings.TrimSuffix(part, path.Ext(part))
		if placeholds.MatchString(part) || placeholds.MatchString(stem) {
			return r, false
		}
	}
	return r, dotSlash || r.folder || strings.Contains(r.name, "/") || isKnownFile(r.name)
}

// isKnownFile reports whether a name has an ending that only files have.
func isKnownFile(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return len(ext) < len(path.Base(name)) && (sourceExts[ext] || textExts[ext] || dataExts[ext])
}

// judgePath returns a hit where the project has no such file, folder or line.
func (p *Project) judgePath(r pathRef) []Hit {
	return p.once(fmt.Sprintf("path %s %d %v", r.name, r.line, r.folder), func() *Hit { return p.findPath(r) })
}

// once asks each question once.
func (p *Project) once(key string, ask func() *Hit) []Hit {
	hit, known := p.answers[key]
	if !known {
		hit = ask()
		p.answers[key] = hit
	}
	if hit == nil {
		return nil
	}
	return []Hit{*hit}
}

func (p *Project) findPath(r pathRef) *Hit {
	found := p.resolve(r.name)
	if found != "" {
		return p.findLine(r, found)
	}
	if !p.canTell(r) || p.look(r.name) != absent {
		return nil
	}
	h := &Hit{Kind: Path, Ref: r.name, Message: fmt.Sprintf("the project has no %q", r.name), path: r}
	if r.folder {
		h.Message = fmt.Sprintf("the project has no folder %q", r.name+"/")
	}
	return h
}

// resolve returns where a path lies: from the project's folder, or from one below it; "" where it is not.
func (p *Project) resolve(name string) string {
	if p.look(name) == present {
		return name
	}
	t := p.listed()
	for _, other := range t.bases[path.Base(name)] {
		if strings.HasSuffix(other, "/"+name) {
			return other
		}
	}
	// An import names a module without the ending of its file.
	if path.Ext(name) == "" {
		for ext := range strings.FieldsSeq(sourceEndings) {
			for _, other := range t.bases[path.Base(name)+"."+ext] {
				if other == name+"."+ext || strings.HasSuffix(other, "/"+name+"."+ext) {
					return other
				}
			}
		}
	}
	// The project's own folder may stand before the path.
	if first, rest, ok := strings.Cut(name, "/"); ok && first == path.Base(strings.ReplaceAll(p.root.Name(), `\`, "/")) && p.look(rest) == present {
		return rest
	}
	return ""
}

// canTell reports whether a path that is not there would have to be.
func (p *Project) canTell(r pathRef) bool {
	t := p.listed()
	parts := strings.Split(r.name, "/")
	first, ext := parts[0], strings.ToLower(path.Ext(r.base()))
	source, text := sourceExts[ext], textExts[ext]
	rooted := t.folders[first]
	if t.limited { // a folder below the project's may have it; what lies beside it is known
		return len(parts) > 1 && (source || text) && t.folders[path.Dir(r.name)]
	}
	switch {
	case len(parts) == 1 && r.folder:
		return !strings.HasPrefix(first, ".") && !passing[first] && len(first) > 2
	case len(parts) == 1:
		stem := strings.TrimSuffix(first, path.Ext(first))
		return (source || text && !agents[strings.ToLower(first)]) && len(stem) > 1 && !strings.HasPrefix(first, ".") &&
			!general[strings.ToLower(stem)] && !product.MatchString(first) && !memoryName.MatchString(first)
	case strings.HasPrefix(first, "."): // .github is the project's, .claude the host's
		return rooted && !hostFolders[first]
	case !rooted && (looksForeign(first) || len(parts) == 2 && product.MatchString(r.base())):
		return false
	case rooted && (source || text || dataExts[ext]):
		return true
	case source || text:
		return !media[first]
	case ext != "" && !rooted:
		return false
	case rooted:
		last := parts[len(parts)-1]
		for _, part := range parts {
			if version.MatchString(part) {
				return false // a route, or a module's version
			}
		}
		if len(parts) == 2 && (t.folders[last] || media[first] || branches[first] || last == strings.ToUpper(last)) {
			return r.folder && !t.folders[last]
		}
		return true
	}
	return false
}

// looksForeign reports whether the first part of a path is a host's name: "example.com".
func looksForeign(first string) bool { return strings.Contains(first, ".") }

var (
	// passing are folders that builds and tools make, and those of the memory itself.
	passing = setOf("node_modules dist build out target tmp temp log logs cache coverage vendor venv env bin obj lib memory team sessions agents projects data uploads output public static common shared helpers utils src")
	// general are stems that stand for any file of their kind.
	general = setOf("main index app mod lib init __init__ setup test tests foo bar baz example examples sample demo file name hello temp tmp a b c x y z util utils helper helpers common script config.local settings.local settings config memory claude agents skill package-lock")
	// agents are files of the programs that we live beside, and the memory's own.
	agents      = setOf("memory.md claude.md claude.local.md agents.md gemini.md skill.md settings.json settings.local.json claude_desktop_config.json mcp.json .mcp.json")
	hostFolders = setOf(".claude .cursor .codex .gemini .vscode .idea .git .venv .cache .config .local .ssh .aws")
	media       = setOf("application text image audio video font multipart")
	branches    = setOf("origin upstream feature features feat fix hotfix bugfix release releases chore refs heads remotes")
)

// maxCounted bounds, in bytes, a file whose lines are counted.
const maxCounted = 4 << 20

// findLine returns a hit where a file has fewer lines than the reference says.
func (p *Project) findLine(r pathRef, found string) *Hit {
	if r.line == 0 {
		return nil
	}
	data, err := readFile(p.root, found, maxCounted)
	if err != nil || len(data) == maxCounted {
		return nil
	}
	lines := bytes.Count(data, []byte("\n"))
	if len(data) > 0 && data[len(data)-1] != '\n' {
		lines++
	}
	if r.line <= lines {
		return nil
	}
	return &Hit{Kind: Line, Ref: fmt.Sprintf("%s:%d", r.name, r.line), Message: fmt.Sprintf("%q has only %d lines, not %d", found, lines, r.line)}
}
