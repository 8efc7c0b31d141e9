package transcript

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// longTalk is a transcript of a megabyte, most of it results of tools and their duplicates.
func longTalk() string {
	f := talk(1).user("begin")
	output := strings.Repeat("ok  \tlighthouse/gallery\t0.021s\tcoverage: \"71.4%\" of statements in ./gallery\n", 40)
	for i := range 150 {
		f.user(fmt.Sprint("please look at step ", i))
		f.reply(fmt.Sprint("I look at step ", i, ", then at the lantern."))
		f.says(fmt.Sprint("t", i), use(fmt.Sprint("u", i), "Bash", fields{"command": "go test ./..."}))
		f.add("user", fields{
			"message":       fields{"content": []any{result(fmt.Sprint("u", i), output)}},
			"toolUseResult": fields{"stdout": output, "stderr": "", "lines": []any{1, 2.5, nil, true}},
		})
	}
	return f.text()
}

// BenchmarkDecode: the walk beside encoding/json.
func BenchmarkDecode(b *testing.B) {
	text := []byte(longTalk())
	var r record
	var known setting
	for name, decode := range map[string]func(line []byte) bool{
		"walk": func(line []byte) bool { return r.walk(line, &known) },
		"json": func(line []byte) bool { _, bad := oddLine(line); return !bad },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				for line := range bytes.Lines(text) {
					if !decode(line[:len(line)-1]) {
						b.Fatalf("not read: %.100s", line)
					}
				}
			}
		})
	}
}

// BenchmarkSieve: a pass of a search that finds nothing, in a transcript of which nothing is known, in
// one that is known to be plain, and one that decodes every line.
func BenchmarkSieve(b *testing.B) {
	text := longTalk()
	p, err := compile(Query{Pattern: "Fresnel"})
	if err != nil {
		b.Fatal(err)
	}
	f := &filter{needles: p.needles, speakers: []Speaker{Tool}, decides: raw.isAllText}
	for name, s := range map[string]func() *sieve{
		"unknown": func() *sieve { return f.sieve(0, false) },
		"plain":   func() *sieve { return f.sieve(noDreams|noASCIIEscapes|noEscapes|noOwnCalls, false) },
		"decoded": func() *sieve { return nil },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			lines := newLineReader(nil, readBlock)
			for b.Loop() {
				lines.reset(strings.NewReader(text), 1, 0)
				r := newReader(file{id: id(1)}, lines, func(*utterance) error { return nil })
				r.sieve, r.tools = s(), deaf
				if err := r.run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkNeedle: kernels beside bytes.Index. The words are of rare and of common letters.
func BenchmarkNeedle(b *testing.B) {
	text := []byte(longTalk())
	for _, word := range []string{"zephyrquartz", "flux capacitor", "ticket-", "errors", "データベース"} {
		n := newNeedle([]byte(word), false)
		for name, find := range map[string]kernel{
			"kernel": n.kernels()[0],
			"index":  func(block []byte) int { return bytes.Index(block, n.text) },
		} {
			b.Run(word+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					if find(text) >= 0 {
						b.Fatal("found")
					}
				}
			})
		}
	}
}
