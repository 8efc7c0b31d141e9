package secret

import (
	_ "embed"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"dream-mcp/memory/lazy"
)

// shape is a credential with letters of its own: a prefix, then a body of one alphabet that ends where the
// alphabet does.
type shape struct {
	kind     string
	prefixes []string
	body     *alphabet
	min, max int  // bytes of the body; max 0: any, as where the alphabet holds separators
	capitals bool // the body may be of capitals alone
	any      bool // the body may be of words
	alone    bool // it begins a word: its prefix is a word, or the end of many

	head             *alphabet // of what is before the prefix; nil: nothing is
	minHead, maxHead int       // bytes of it
	form             string    // an expression that the whole must match
}

// alphabet is a set of bytes.
type alphabet [256]bool

func alphabetOf(ranges ...string) *alphabet {
	var a alphabet
	for _, r := range ranges {
		for c := int(r[0]); c <= int(r[len(r)-1]); c++ {
			a[c] = true
		}
	}
	return &a
}

// The alphabets of bodies, and their names in shapes.txt.
var (
	digits  = alphabetOf("0-9")
	hexa    = alphabetOf("0-9", "a-f", "A-F")
	alnum   = alphabetOf("0-9", "a-z", "A-Z")
	upper   = alphabetOf("0-9", "A-Z")
	word    = alphabetOf("0-9", "a-z", "A-Z", "_")
	dashed  = alphabetOf("0-9", "a-z", "A-Z", "_", "-")
	dotted  = alphabetOf("0-9", "a-z", "A-Z", "_", "-", ".")
	base64  = alphabetOf("0-9", "a-z", "A-Z", "+", "/", "=")
	padded  = alphabetOf("0-9", "a-z", "A-Z", "_", "-", "+", "/", "=", ".")
	address = alphabetOf("0-9", "a-z", "A-Z", "_", "-", "+", "/", "=", ".", ":", "@", "$", "%")

	alphabets = map[string]*alphabet{
		"digits": digits, "hexa": hexa, "alnum": alnum, "upper": upper, "word": word, "dashed": dashed, "dotted": dotted, "base64": base64, "padded": padded, "address": address,
	}
)

//go:embed shapes.txt
var shapesText string

// shapes are the lines of shapes.txt. It panics where one has no known form: the text is part of the program.
var shapes = sync.OnceValue(func() []shape {
	var all []shape
	for row := range strings.Lines(shapesText) {
		fields := strings.Fields(row)
		if len(fields) == 0 || fields[0] == ";" {
			continue
		}
		sh := shape{kind: fields[0], body: alphabets[fields[1]], prefixes: strings.Split(fields[3], ",")}
		sh.min, sh.max = readLengths(fields[2])
		for _, flag := range fields[4:] {
			switch name, value, _ := strings.Cut(flag, "="); name {
			case "alone":
				sh.alone = true
			case "any":
				sh.any = true
			case "capitals":
				sh.capitals = true
			case "form":
				sh.form = value
			case "head":
				head, lengths, _ := strings.Cut(value, ":")
				sh.head = alphabets[head]
				sh.minHead, sh.maxHead = readLengths(lengths)
			default:
				panic("secret: no flag: " + flag)
			}
		}
		all = append(all, sh)
	}
	return all
})

// readLengths reads "36", "16-20" or "40-".
func readLengths(text string) (least, most int) {
	from, to, ranged := strings.Cut(text, "-")
	least, _ = strconv.Atoi(from)
	if most, _ = strconv.Atoi(to); !ranged {
		most = least
	}
	return least, most
}

// matcher returns a function that finds the nth shape of the table by a prefix of that length.
func (sh shape) matcher(nth, prefix int) func(s *scan, at int) (next int) {
	form := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(sh.form) })
	return func(s *scan, at int) (next int) {
		from := at
		if sh.head != nil {
			from = sh.head.back(s.text, at, sh.maxHead+1)
		}
		if head := at - from; at < s.tried[nth] || from < s.end || head < sh.minHead || head > sh.maxHead ||
			!s.begins(from) && (sh.alone || sh.head != nil || !s.within(at, prefix)) {
			return 0
		}
		end := sh.body.run(s.text, at+prefix)
		if s.tried == nil {
			s.tried = make(map[int]int)
		}
		s.tried[nth] = end
		body := strings.TrimRight(s.text[at+prefix:end], ".-/") // the signs of a sentence
		end = at + prefix + len(body)
		switch {
		case sh.alone && s.inBase64(from, end):
			return 0
		case len(body) < sh.min, sh.max > 0 && len(body) > sh.max, end < len(s.text) && alnum[s.text[end]]:
			return 0
		case !random(body) && !((sh.capitals || sh.any) && entropy(body) >= minEntropy && !placeholder(body)), !form().MatchString(s.text[from:end]):
			return 0
		}
		return s.shaped(from, end, sh.kind)
	}
}

// inBase64 reports whether what is between two places is part of a longer text in base64.
func (s *scan) inBase64(from, to int) bool {
	if from == 0 || s.text[from-1] != '+' && s.text[from-1] != '/' {
		return false
	}
	return s.text[from-1] == '+' || to < len(s.text) && strings.IndexByte("+/=", s.text[to]) >= 0
}

// begins reports whether a word, or what follows a credential or an escape, begins at a place. What follows
// a dash within a word is the rest of it, as in base64 for addresses.
func (s *scan) begins(at int) bool {
	if at <= s.end || !word[s.text[at-1]] {
		return at <= s.end+1 || s.text[at-1] != '-' || !word[s.text[at-2]]
	}
	return escapeLast.MatchString(s.text[max(0, at-len(`\U0001f600`)):at])
}

// within reports whether a credential may begin at a place within a word: after words, not after random
// letters, and not where its prefix is the end of a word, as in "task-".
func (s *scan) within(at, prefix int) bool {
	const least, most = 4, 32
	before := s.text[max(s.end, dashed.back(s.text, at, most)):at]
	return len(before) < most && scatter(before) < 2*minScatter && (prefix >= least || before[len(before)-1] == '_') && !strings.HasSuffix(before, "pk_")
}

// Of a credential that the table does not know, the least length of a body with letters of both cases and digits, of
// one after a word for a credential, and the most of what is before it.
const (
	leastUnknown, leastNamed, maxVendor = 30, 20, 40
	unknownEntropy                      = 4.0
	oldVault                            = 24 // bytes after "s." of a token of Vault before 1.10
)

// An unknown credential is a word of letters, digits, dashes and underscores: its vendor or use, and a random body.
var (
	vendor   = lazy.New(`^(?:(?:[a-z][a-z0-9]{1,11}|[A-Z]{2,12})[_-]){1,4}`)
	unkeyed  = oneOf("pk pub public publishable phc anon npub sha sha1 sha256 sha384 sha512 md5 commit task main build chunk index assets dist cache data")
	unnamed  = oneOf("live prod key token secret pat auth sk api apikey rk")
	wholeKey = lazy.New(`^(?:[0-9a-f]{32}-us\d{1,2}|[5KL][1-9A-Za-z]{50,51}|A3-[0-9A-Z]{6}-[0-9A-Z]{6}(?:-[0-9A-Z]{5}){4})$`)
)

// unknown adds the words that look like a credential of a vendor that the table does not have, and are apart from those
// that were found.
func (s *scan) unknown(found []Span) {
	const least = 24
	for to := 0; to < len(s.text); to++ {
		from := to
		if to = dashed.run(s.text, from); to-from < least || s.inBase64(from, to) || strings.HasPrefix(s.text[to:], ".apps.") {
			continue
		}
		for len(found) > 0 && found[0].To <= from {
			found = found[1:]
		}
		if len(found) > 0 && found[0].From < to {
			continue
		}
		from = s.afterEscape(from)
		text := s.text[from:min(to, from+maxJudged)]
		if wholeKey.MatchString(text) && random(text) || len(text) == oldVault && from > 1 && s.text[from-2:from] == "s." && (from == 2 || !alnum[s.text[from-3]]) && classes(text) == 3 {
			s.finds = append(s.finds, find{Span: Span{From: from, To: to, Kind: kindKey}, shaped: true})
			continue
		}
		head := vendor.FindString(text)
		if head == "" || len(head) > maxVendor {
			continue
		}
		body, words := text[len(head):], splitWords(head)
		if len(body) < leastNamed || slices.ContainsFunc(words, unkeyed) || !random(body) {
			continue
		}
		if slices.ContainsFunc(words, unnamed) && classChanges(body)*4 >= len(body) ||
			len(body) >= leastUnknown && entropy(body) >= unknownEntropy && classes(body) == 3 && classChanges(body)*10 >= 3*len(body) {
			s.finds = append(s.finds, find{Span: Span{From: from, To: to, Kind: kindToken}, shaped: false})
		}
	}
}

// run returns where the bytes of the alphabet end that begin at from.
func (a *alphabet) run(text string, from int) int {
	for from < len(text) && a[text[from]] {
		from++
	}
	return from
}

// count returns how many bytes of the alphabet a text begins with, and at most so many.
func (a *alphabet) count(text string, most int) int {
	return a.run(text[:min(len(text), most)], 0)
}

// back returns where the bytes of the alphabet begin that end at to, most of them at most.
func (a *alphabet) back(text string, to, most int) int {
	from := to
	for from > 0 && to-from < most && a[text[from-1]] {
		from--
	}
	return from
}
