package rank

import (
	"fmt"
	"strings"
	"testing"
)

// prose is English as agents and people write it, with none of the words that the benchmarks ask for.
const prose = `I looked at the handler and found that the retry loop never resets its counter, so the second failure
waits for minutes. The function parseHeader in internal/http/reader.go returns early when the buffer is shorter than
sixteen bytes; I moved the check before the allocation and added a table of cases. All 212 tests pass now, and the
benchmark says 1.4 ms instead of 9.8. Should I also remove the old flag, or keep it for another release?
`

// BenchmarkScan is the throughput of one core: without any term, with one rare term, and with words that stand in
// every text. A search over 40 MB of utterances has 150 ms on two cores.
func BenchmarkScan(b *testing.B) {
	text := strings.Repeat(prose, 4)
	for _, c := range []struct{ name, query, text string }{
		{"none", "zephyr quartz vineyard", text},
		{"question without a term", "how do we deploy to staging", strings.ReplaceAll(text, "release", "version")},
		{"rare", "zephyr quartz vineyard", text + "The zephyr blew."},
		{"common", "tests pass after the retry loop resets its counter", text},
		{"chinese, english query", "zephyr quartz", strings.Repeat("我把库存扣减放进队列,每秒批量写回数据库一次。", 40)},
		{"chinese", "库存怎么写回数据库", strings.Repeat("我把订单放进队列,每秒批量更新仓位一次。库存", 40)},
		{"russian, english query", "zephyr quartz", strings.Repeat("Первую копию на диск в шкафу, вторую к сестре через интернет. ", 40)},
	} {
		b.Run(c.name, func(b *testing.B) {
			q, err := Parse(c.query)
			if err != nil {
				b.Fatal(err)
			}
			r := q.Ranking()
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				var t turn
				r.count(c.text, &t)
			}
		})
	}
}

// BenchmarkSearch is a whole query over 40 MB in 1,000 sessions on one core.
func BenchmarkSearch(b *testing.B) {
	var docs []Doc
	for s := range 1000 {
		for i := range 130 {
			text := prose[:310]
			if s == 500 && i == 60 {
				text = "The deploy to staging goes through make ship-staging."
			}
			docs = append(docs, Doc{Text: text, User: i%2 == 0, Session: fmt.Sprint(s), Position: int64(i)})
		}
	}
	for _, query := range []string{"how do we deploy to staging", "when does the retry loop reset the counter"} {
		b.Run(query, func(b *testing.B) {
			q, err := Parse(query)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(130_000 * 310)
			b.ReportAllocs()
			for b.Loop() {
				r := q.Ranking()
				for _, d := range docs {
					r.Add(d)
				}
				if len(r.Top(20)) == 0 {
					b.Fatal("nothing found")
				}
			}
		})
	}
}
