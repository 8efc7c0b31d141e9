package main

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// pools are the lines that generated transcripts are made of, escaped as JSON.stringify spells them:
// made once, since a gibibyte is written from them.
type pools struct {
	rng                             *rand.Rand
	scale                           int
	sentences, codes, logs, base64s []string
}

// What is searched, in about as many records as in real sessions of this size: rareWord in a dozen,
// mediumWord in some 4,000, "error" in some 50,000; each of planted in some 500. But for the rare word they stand
// wherever there is text, the longer the more of them: most in what tools answer, as in real transcripts.
const (
	rareWord   = "zephyrquartz"
	mediumWord = "ReconcileLedger"
)

// planted are lines that no pool holds. One of textsEach texts begins with one of them, as what it is about, and one
// of linesEach lines is one: so the lines of the transcripts that hold mediumWord are 10 KB long on average.
var planted = append([]string{
	"a naïve café menu", "データベース移行 を始める", "🚀 déployé hier soir",
	`the \"flux capacitor\" said no`, "ticket-4711-resolved", "func Open(ctx context.Context) error",
	"error while waiting: timeout", "ANOTHER_LOUD_CONSTANT", "internationalization uncharacteristically here",
}, slices.Repeat([]string{"call " + mediumWord + " again"}, 8)...)

const (
	textsEach = 27
	linesEach = 3000
)

var toolNames = []string{"Bash", "Bash", "Read", "Read", "Grep", "Edit", "Edit", "Edit", "Task"}

// common are the words of the prose, the frequent ones first.
var common = strings.Fields(`the a to of and is in it for that with on as this be not are or from at by we was have an
file test error code when function line should change add use check run fix build call value return type first new
request response server client path name list key map string config branch commit module package import lamp gallery
stairs lens keeper harbour signal beacon ledger window shutter oil wick clockwork mirror prism timeout retry cache index
queue worker thread lock lease gate stage archive memory session transcript utterance deploy staging production review`)

// machine are the words of what tools write, and of code.
var machine = slices.DeleteFunc(slices.Clone(common), func(w string) bool { return w == "error" })

var (
	chinese  = strings.Fields("我们 先 看 一下 这个 问题 测试 没有 通过 请 不要 改 配置 文件 然后 再 部署 到 服务器 上 记得 更新 文档")
	korean   = strings.Fields("먼저 설정 파일을 확인하고 테스트를 다시 실행해 주세요 그 함수는 바꾸지 마세요 배포는 내일 합니다")
	accented = strings.Fields("le café était fermé où l’équipe a déjà vérifié la clé für die Größe prüfen wir später más información después")
)

// newPools makes them for a corpus of so many gibibytes: each planted text is in the same number of records.
func newPools(rng *rand.Rand, scale int) *pools {
	p := &pools{rng: rng, scale: scale}
	for range 6000 {
		p.sentences = append(p.sentences, p.sentence())
		p.logs = append(p.logs, p.log())
		p.codes = append(p.codes, p.codeLine())
	}
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	for range 40 {
		b := make([]byte, 400_000)
		for i := range b {
			b[i] = letters[rng.IntN(64)]
		}
		p.base64s = append(p.base64s, string(b))
	}
	return p
}

func (p *pools) pick(from []string) string { return from[p.rng.IntN(len(from))] }

// word takes the frequent words more often.
func (p *pools) word(from []string) string {
	f := p.rng.Float64()
	return from[int(f*f*float64(len(from)))]
}

// sentence is in English as a rule. Of real messages 20 % are Chinese, 9 % Korean, 8 % with accents.
func (p *pools) sentence() string {
	from := common
	switch n := p.rng.IntN(100); {
	case n < 20:
		from = chinese
	case n < 29:
		from = korean
	case n < 37:
		from = accented
	}
	var b strings.Builder
	for i := range 6 + p.rng.IntN(14) {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(p.word(from))
	}
	b.WriteString(p.pick([]string{".", ".", ".", "?", ":", `, as in \"x\".`, " (see `main.go`)."}))
	return b.String()
}

func (p *pools) log() string {
	if p.rng.IntN(20) == 0 {
		return "error: " + p.word(machine) + " " + p.word(machine)
	}
	switch p.rng.IntN(5) {
	case 0:
		return "2026-11-18T09:14:" + p.number(60) + "Z INFO " + p.word(machine) + "." + p.word(machine) + " took " + p.number(900) + "ms"
	case 1:
		return `ok  \tlighthouse/` + p.word(machine) + `\t0.` + p.number(999) + `s\tcoverage: ` + p.number(99) + "." + p.number(9) + "% of statements"
	case 2:
		return "./" + p.word(machine) + "/" + p.word(machine) + ".go:" + p.number(900) + ":" + p.number(80) + ": " + p.word(machine) + " " + p.word(machine)
	case 3:
		if p.rng.IntN(6) > 0 {
			break
		}
		return `\u001b[32m✓\u001b[39m ` + p.word(machine) + " " + p.word(machine) + " (" + p.number(90) + " ms)"
	}
	return `-rw-r--r-- 1 dev dev ` + p.number(99999) + " Nov 18 09:14 " + p.word(machine) + "_" + p.word(machine) + ".go"
}

func (p *pools) codeLine() string {
	a, b, c := p.word(machine), p.word(machine), p.word(machine)
	switch p.rng.IntN(6) {
	case 0:
		return `    if err := ` + a + "." + b + "(" + c + `); err != nil { return result.` + a + ` }`
	case 1:
		return `\t\treturn fmt.Errorf(\"` + a + " " + b + " of the " + c + " in the " + a + ` could not be read: %w\", err)`
	case 2:
		return `func ` + a + strings.ToUpper(b[:1]) + b[1:] + "(" + c + ` string, ` + a + ` int, rest ...string) (int, ` + p.result() + `) {`
	case 3:
		return `    // ` + p.word(machine) + " " + p.word(machine) + " " + a + " " + b + " " + c + " " + p.word(machine) + " " + p.word(machine)
	case 4:
		return `\t\t\"` + a + `\": {` + b + ": " + p.number(99) + ", " + c + `: '` + a + `'}, // C:\\` + b
	}
	return `   ` + p.number(999) + `→\t` + a + "_" + b + " := " + c + "[" + p.number(9) + "]"
}

func (p *pools) result() string {
	if p.rng.IntN(12) == 0 {
		return "error"
	}
	return "bool"
}

func (p *pools) number(below int) string { return strconv.Itoa(p.rng.IntN(below)) }

func (p *pools) short() string { return p.pick(p.sentences) }

// prose, code and output are about so many bytes of what people and models say, of code, and of what tools print.
func (p *pools) prose(size int) string { return p.join(p.sentences, size, " ") }

func (p *pools) code(size int) string { return p.join(p.codes, size, `\n`) }

func (p *pools) output(size int) string {
	if p.rng.IntN(2) == 0 {
		return p.code(size)
	}
	return p.join(p.logs, size, `\n`)
}

func (p *pools) join(from []string, size int, separator string) string {
	var b strings.Builder
	for each := textsEach; ; each = linesEach {
		if p.rng.IntN(each*p.scale) == 0 {
			b.WriteString(p.pick(planted))
		} else {
			b.WriteString(p.pick(from))
		}
		if b.Len() >= size {
			return b.String()
		}
		b.WriteString(separator)
	}
}

func (p *pools) base64(size int) string {
	from := p.pick(p.base64s)
	at := p.rng.IntN(len(from) - size)
	return from[at : at+size]
}

func (p *pools) token(size int) string {
	s := p.base64(size)
	return strings.NewReplacer("+", "x", "/", "y").Replace(s)
}
