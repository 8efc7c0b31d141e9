package secret

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"dream-mcp/memory/lazy"
)

// Bounds of what follows a name, in bytes.
const (
	maxBetween = 160
	maxValue   = 2048
)

// The signs of separators. Those of lines are stricter about the value.
const (
	signEqual   = "="
	signColon   = ":"
	signComma   = ","
	signBar     = "|"
	signSpace   = " "
	signLine    = "line" // the value is all of a later line
	signElement = ">"
)

// separators are what is between a name and its value, in the order in which it is tried. What prose puts there is read
// by scan.prose.
var separators = [][2]string{
	{signEqual, `[ \t]*(?::=|\?=|\+=|：|%3[DA]|=[=>]*)`},
	{signLine, "[ \\t]*:[\"'`* \\r]*\\n[\"'`* \\r\\n]*"},
	{signColon, `[ \t]*:`},
	{signBar, `[ \t]+\|`},
	{signElement, `>`},
	{signEqual, `,?\s*["']?value["']?\s?[:=]`},    // "name": "API_KEY", "value": "…"
	{signEqual, `\s*\{[^{}"]{0,80}\bdefault\s*=`}, // variable "db_password" { default = "…" }
	{signLine, "[\"'`* \\r]*\\n[\"'`* \\r\\n]*"},
	{signComma, `,`},
	{signSpace, `[ \t]+`},
}

// between matches a separator, spaces, emphasis and an opening mark that is not a quote.
var between = sync.OnceValue(func() *regexp.Regexp {
	var all []string
	for _, s := range separators {
		all = append(all, "("+s[1]+")")
	}
	const quote = `\\u0022|%22|&quot;`
	return regexp.MustCompile(fmt.Sprintf("^(?:%s)?[\"'`*\\]\\\\]*(?:%s)[ \t*]*(?:「|“|«|%[1]s|\\\\+)?", quote, strings.Join(all, "|")))
})

// closing matches what ends a value that is not in quotes: a mark, or the next name in the query of an address.
var closing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\]\(|\\[nrt]|[」”»…]|\.\.\.|\\u0022|%22|&quot;|&[\w-]+=`)
})

// near returns at most so many bytes of the text from a place on.
func (s *scan) near(at, most int) string { return s.text[at:min(len(s.text), at+most)] }

// separator returns the sign between a name and a value, and where the value begins, "" where there is none.
func (s *scan) separator(from, to int) (sign string, start int) {
	m := between().FindStringSubmatchIndex(s.near(to, maxBetween))
	if m == nil || to+m[1] == len(s.text) {
		return "", 0
	}
	for i, sep := range separators {
		if m[2*i+2] >= 0 {
			sign = sep[0]
			break
		}
	}
	start = to + m[1]
	between, quoted := s.text[to:start], isQuote(s.text[start])
	switch sign {
	case signEqual: // what a name is compared with is a value only in quotes
		if strings.Contains(between, "==") && !quoted {
			return "", 0
		}
	case signColon:
		if rest := s.near(start, len("//")); rest[0] == ':' || rest == "//" || rest[0] == '-' && between == ":" {
			return "", 0
		}
		if between == ":" && word[s.text[start]] {
			sign = signEqual
		}
	case signElement: // <password>…
		if from == 0 || s.text[from-1] != '<' {
			return "", 0
		}
		sign = signEqual
	case signComma: // ("password", "…")
		if from == 0 || !isQuote(s.text[from-1]) || !quoted {
			return "", 0
		}
	case signSpace:
		if !strings.HasPrefix(s.text[from:], "--") && !s.login(from) {
			return "", 0
		}
	}
	return sign, start
}

var netrc = lazy.New(`(?:^|\s)login\s+\S+\s+$`)

// login reports whether a name follows "login NAME", as in a netrc.
func (s *scan) login(at int) bool {
	before := s.text[max(0, at-2*maxName):at]
	return strings.Contains(before, "login") && netrc.MatchString(before)
}

// inVariables reports whether "name=" begins a line, as in a file of variables, where a value ends at white space.
func (s *scan) inVariables(from, start int) bool {
	before := strings.TrimSuffix(s.text[max(0, from-maxName):from], "export ")
	return s.text[start-1] == '=' && name[s.text[start-2]] && (before == "" || before[len(before)-1] == '\n')
}

// value returns the value that begins at a place, without quotes, and where it begins.
func (s *scan) value(from int, sign string, start int) (string, int) {
	rest, ends := s.near(start, maxValue), " \t\r\n\"'`<>,;|\x00"
	quoted := isQuote(rest[0])
	if quoted {
		start, ends, rest = start+1, rest[:1]+"\n", rest[1:]
	} else if sign == signEqual && s.inVariables(from, start) {
		ends = " \t\r\n"
	}
	end := strings.IndexAny(rest, ends)
	if end < 0 && !quoted && start+len(rest) == len(s.text) {
		end = len(rest)
	}
	if end < 0 || quoted && rest[end] == '\n' {
		return "", 0
	}
	value := rest[:end]
	if quoted {
		value = strings.TrimSuffix(value, "\\")
	} else {
		if m := closing().FindStringIndex(value[:min(len(value), maxJudged)]); m != nil && (value[m[0]] != '&' || ends[0] == ' ' && len(ends) > 4) {
			value = value[:m[0]]
		}
		value = strings.TrimRight(value, ".:)]}*_\\;,\r")
	}
	value, _, _ = strings.Cut(value, strings.TrimSpace(maskOpen))
	if strings.Contains(value, "⟨U+") { // the mark of a hidden character: it was judged before it was marked
		return "", 0
	}
	return value, start
}

// valueOf reads the value of a name, and reports whether there is one. It is noted if it is a credential.
func (s *scan) valueOf(from, to int, sign string, start int, how strength, kind string) bool {
	switch sign {
	case signBar:
		s.column(from, how, kind, "|")
	case signComma, signLine:
		s.column(from, how, kind, ",")
	}
	value, start := s.value(from, sign, start)
	ev := labelled
	if sign == signEqual || value != "" && isQuote(s.text[start-1]) {
		ev = assigned
	}
	switch sign {
	case signLine:
		if !s.endsLine(start+len(value)) || !s.heads(from, to) {
			return true
		}
		ev = min(ev, spoken)
	case signBar:
		ev = min(ev, spoken)
	}
	if value == "" || !judgeValue(value, how, kind, ev) {
		return sign != signColon
	}
	s.note(from, to, start, start+len(value), kind)
	return true
}

// note adds the value of a name.
func (s *scan) note(from, to, start, end int, kind string) {
	key := strings.TrimLeft(s.text[from:to], "-")
	if random(key) {
		key = ""
	}
	s.finds = append(s.finds, find{Span: Span{From: start, To: end, Kind: kind, Key: key}})
}

// heads reports whether a name is a label of what is in the line below: a colon follows, or it ends a heading or a line
// in bold.
func (s *scan) heads(from, to int) bool {
	line := s.text[max(0, from-maxBetween):from]
	line = strings.TrimLeft(line[strings.LastIndexByte(line, '\n')+1:], " \t>")
	after := strings.TrimLeft(s.near(to, 8), "\"'`* \t")
	return strings.HasPrefix(after, ":") || line != "" && (line[0] == '#' || line[0] == '*')
}

// endsLine reports whether a line ends at a place, quotes and emphasis aside.
func (s *scan) endsLine(at int) bool {
	rest := strings.TrimLeft(s.near(at, len("***```\r\n")), "\"'`* \r")
	return rest == "" || rest[0] == '\n'
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// column adds the values in the column of a table, or of a list with commas, that has a name in its heading.
func (s *scan) column(from int, how strength, kind, bar string) {
	const maxRow, maxRows, maxCells = 512, 20, 20
	first := max(0, from-maxRow)
	begin := first + strings.LastIndexByte(s.text[first:from], '\n') + 1
	cell := strings.Count(s.text[begin:from], bar)
	if cell > maxCells || bar == "," && cell == 0 && s.text[begin:from] != "" {
		return
	}
	at, cells := begin, 0
	for n := range maxRows {
		line, _, more := strings.Cut(s.near(at, maxRow), "\n")
		row := strings.Split(line, bar)
		if n == 0 {
			cells = len(row)
		}
		rule := strings.Trim(line, "|-: \t\r") == ""
		if line == "" || len(row) != cells || cells < 2 || bar == "|" && (line[0] != '|' || rule != (n == 1)) || bar == "," && strings.Contains(line, " ") {
			return
		}
		value := strings.Trim(row[cell], " `*\r\"")
		if start := at + len(strings.Join(row[:cell], bar)) + len(bar)*min(cell, 1) + strings.Index(row[cell], value); n > 0 && value != "" &&
			judgeValue(value, how, kind, spoken) {
			s.finds = append(s.finds, find{Span: Span{From: start, To: start + len(value), Kind: kind}})
		}
		if at += len(line) + 1; !more {
			return
		}
	}
}
