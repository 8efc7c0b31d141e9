package drift

import (
	"dream-mcp/memory"
	"regexp"
	"strings"
)

// passage is a code span, a line of a fence of shell commands, or a claim in prose, and what is said around it.
type passage struct {
	from, to      int
	text          string
	before, after string // the rest of its sentence; the insides of code spans are blanked
	scope         string // the heading and the lead ("Removed:") above it
	block         string // its paragraph, item or row, and the lead
	fence         bool   // a line of a fence
	prose         bool   // not a code span: a version, or a library that is said to be used
}

// passages returns what may name something of the project, in order.
func passages(text string) []passage {
	r := reader{text: text}
	for at := 0; at < len(text) && len(r.found) < maxPassages; {
		end := len(text)
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n + 1
		}
		r.line(at, end)
		at = end
	}
	r.block(len(text))
	if len(r.found) > maxPassages {
		r.found = r.found[:maxPassages]
	}
	return r.found
}

// reader goes through a Markdown text line by line.
type reader struct {
	text    string
	found   []passage
	heading string
	lead    string // the paragraph that ended with a colon, and what follows belongs to
	start   int    // of the block that is being read
	inBlock bool
	mark    string // of the fence that is open
	shell   bool   // its lines are commands
}

// line reads text[at:end].
func (r *reader) line(at, end int) {
	row := strings.TrimRight(r.text[at:end], "\r\n")
	inner := strings.TrimLeft(row, " \t>")
	if r.mark != "" {
		if strings.HasPrefix(inner, r.mark) && strings.Trim(inner, "`~ ") == "" {
			r.mark = ""
		} else if r.shell {
			r.command(at+len(row)-len(inner), inner)
		}
		return
	}
	switch {
	case strings.HasPrefix(inner, "```"), strings.HasPrefix(inner, "~~~"):
		r.block(at)
		info := strings.TrimLeft(inner, inner[:1])
		r.mark = inner[:len(inner)-len(info)]
		language, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(info)), " ")
		r.shell = shells[language]
	case inner == "":
		r.block(at)
	case inner[0] == '#':
		r.block(at)
		r.heading, r.lead = r.text[at:end], ""
		r.start, r.inBlock = at, true
		r.block(end)
	case memory.BulletMarker(inner) != "", inner[0] == '|':
		r.block(at)
		r.start, r.inBlock = at, true
	case !r.inBlock:
		r.start, r.inBlock = at, true
		if inner == row { // a paragraph that no list and no lead goes on into
			r.lead = ""
		}
	}
}

// shells are the languages of fences that hold commands.
var shells = setOf("sh bash zsh shell console fish shell-session")

// command notes a line of a fence.
func (r *reader) command(at int, row string) {
	row = strings.TrimRight(row, " \t")
	for _, prompt := range []string{"$ ", "% "} {
		if rest, ok := strings.CutPrefix(row, prompt); ok {
			at, row = at+len(prompt), rest
		}
	}
	if row == "" || row[0] == '#' || len(r.found) >= maxPassages {
		return
	}
	said := ""
	if i := strings.Index(row, " #"); i >= 0 {
		row, said = strings.TrimRight(row[:i], " \t"), row[i:]
	}
	r.found = append(r.found, passage{from: at, to: at + len(row), text: row, after: said, scope: r.heading + r.lead, block: r.lead, fence: true})
}

// block ends the paragraph, item or row that is being read, and notes its code spans.
func (r *reader) block(end int) {
	if !r.inBlock {
		return
	}
	r.inBlock = false
	text := r.text[r.start:end]
	blanked := []byte(text)
	var spans [][2]int
	for i := 0; i < len(text) && len(r.found)+len(spans) < maxPassages; i++ {
		switch text[i] {
		case '\\':
			i++
		case '`':
			run := len(text[i:]) - len(strings.TrimLeft(text[i:], "`"))
			from := i + run
			to := memory.ClosingRun(text[:min(len(text), from+maxSpan)], from, run)
			if to < 0 {
				i = from - 1
				continue
			}
			spans = append(spans, [2]int{from, to})
			for j := from; j < to; j++ {
				blanked[j] = 'x'
			}
			i = to + run - 1
		}
	}
	words := string(blanked)
	note := func(at, end int, prose bool) {
		from, to := sentence(words, at, end)
		r.found = append(r.found, passage{
			from: r.start + at, to: r.start + end, text: text[at:end], before: words[from:at], after: words[end:to],
			scope: r.heading + r.lead, block: r.lead + text, prose: prose,
		})
	}
	for _, span := range spans {
		note(span[0], span[1], false)
	}
	for _, expr := range []*regexp.Regexp{versionRef, libraryRef} {
		for _, m := range expr.FindAllStringIndex(text, maxPassages-min(len(r.found), maxPassages)) {
			if m[0] == 0 || strings.IndexByte("-/.@", text[m[0]-1]) < 0 { // the end of a longer name
				note(m[0], m[1], true)
			}
		}
	}
	if trimmed := strings.TrimRight(words, " \t\r\n*_"); strings.HasSuffix(trimmed, ":") || strings.HasSuffix(trimmed, "：") {
		r.lead = words
	}
}

// maxSpan bounds, in bytes, how far a code span is followed.
const maxSpan = 1 << 10

// maxSentence bounds, in bytes, how far a sentence is followed to each side.
const maxSentence = 1 << 10

// sentence returns where the sentence around words[from:to] begins and ends.
func sentence(words string, from, to int) (int, int) {
	start := max(0, from-maxSentence)
	for _, stop := range stops {
		if i := strings.LastIndex(words[start:from], stop); i >= 0 {
			start += i + len(stop)
		}
	}
	end := min(len(words), to+maxSentence)
	for _, stop := range stops {
		if i := strings.Index(words[to:end], stop); i >= 0 {
			end = to + i + len(stop)
		}
	}
	return start, end
}

// stops end a sentence. A full stop within a code span is blanked.
var stops = []string{". ", ".\n", "; ", ";\n", "! ", "? ", "。", "；", "！", "？"}

func setOf(words string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}
