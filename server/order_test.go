package server

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// Progress comes before the answer, in order, and none is lost.
func TestProgressOrder(t *testing.T) {
	t.Parallel()
	const n = 500
	for _, era := range eras {
		t.Run(era.name, func(t *testing.T) {
			p := dial(t, sample())
			p.ask(era.open)
			for run := range 30 {
				p.write(toolCall(run, era.meta, "burst", fmt.Sprintf(`{"n":%d}`, n)))
				for i := range n {
					r := p.read()
					var step struct{ Progress int }
					if err := json.Unmarshal(r.Params, &step); err != nil || r.Method != "notifications/progress" || step.Progress != i {
						t.Fatalf("run %d: got %s, want progress %d", run, r.raw, i)
					}
				}
				if r := p.read(); !strings.Contains(r.raw, "burst done") {
					t.Fatalf("run %d: got %s", run, r.raw)
				}
			}
		})
	}
}

// A goroutine of a handler cannot send progress after the answer.
func TestNothingAfterTheAnswer(t *testing.T) {
	p := dial(t, sample())
	if r := p.ask(toolCall(1, `"_meta":{}`, "late", `{}`)); !strings.Contains(r.raw, "first") {
		t.Fatalf("got %s", r.raw)
	}
	time.Sleep(60 * time.Millisecond)
	p.silent()
}

// A call that is cancelled at once, running or waiting for a slot, ends and is
// never answered.
func TestCancel(t *testing.T) {
	for _, era := range eras {
		t.Run(era.name, func(t *testing.T) {
			p := dial(t, sample())
			p.ask(era.open)
			for run := range 20 {
				p.write(toolCall(run, era.meta, "slow", anHour), cancelled(run))
			}
			p.silent()
			// All slots must be free again, for as many calls as there are.
			for i := range toolSlots {
				p.write(toolCall(100+i, era.meta, "slow", `{"ms":200}`))
			}
			time.Sleep(50 * time.Millisecond) // they have them now
			p.write(toolCall(`"queued"`, era.meta, "write", `{"text":"queued"}`), cancelled(`"queued"`))
			for range toolSlots {
				if r := p.read(); r.code() != 0 || string(r.ID) == `"queued"` {
					t.Fatalf("got %s", r.raw)
				}
			}
			if r := p.ask(toolCall(200, era.meta, "written", `{}`)); strings.Contains(r.raw, "queued") {
				t.Errorf("a cancelled write ran: %s", r.raw)
			}
		})
	}
}

// A result that a handler returns after its call was cancelled is dropped.
func TestCancelledAnswerIsDropped(t *testing.T) {
	p := dial(t, sample())
	p.write(toolCall(1, `"_meta":{}`, "ignoring", `{"ms":100}`), cancelled(1))
	time.Sleep(150 * time.Millisecond)
	p.silent()
}

// Pipelined writes keep their order, and what reads after them sees them.
func TestWriteOrder(t *testing.T) {
	t.Parallel()
	for _, era := range eras {
		t.Run(era.name, func(t *testing.T) {
			for run := range 20 {
				p := dial(t, sample())
				want := []string{}
				for i := range 12 { // the earlier the slower
					p.write(toolCall(i, era.meta, "write", fmt.Sprintf(`{"text":"w%d","ms":%d}`, i, (12-i)%4)))
					want = append(want, fmt.Sprint("w", i))
				}
				p.write(toolCall(12, era.meta, "written", `{}`))
				for i := range 13 {
					r := p.read()
					if string(r.ID) != fmt.Sprint(i) {
						t.Fatalf("run %d: answer %d is %s", run, i, r.raw)
					}
					if i == 12 && !strings.Contains(r.raw, strings.Join(want, ",")) {
						t.Fatalf("run %d: read %s", run, r.raw)
					}
				}
			}
		})
	}
}

// A write cancelled while it waits lets the next one wait for those before it.
func TestCancelledWriteKeepsOrder(t *testing.T) {
	p := dial(t, sample())
	p.write(
		toolCall(1, `"_meta":{}`, "write", `{"text":"a","ms":150}`),
		toolCall(2, `"_meta":{}`, "write", `{"text":"b"}`),
		toolCall(3, `"_meta":{}`, "write", `{"text":"c"}`),
		cancelled(2),
		toolCall(4, `"_meta":{}`, "written", `{}`),
	)
	for _, want := range []string{"1", "3", "4"} {
		r := p.read()
		if string(r.ID) != want {
			t.Fatalf("got %s, want the answer to %s", r.raw, want)
		}
		if want == "4" && !strings.Contains(r.raw, `"a,c"`) {
			t.Errorf("written: %s", r.raw)
		}
	}
}

// anHour is longer than any test waits.
const anHour = `{"ms":3600000}`

// Reads run beside each other and do not wait for a write that came later.
func TestReadsAreConcurrent(t *testing.T) {
	p := dial(t, sample())
	for i := range 6 {
		p.write(toolCall(i, `"_meta":{}`, "slow", anHour))
	}
	if r := p.ask(toolCall(6, `"_meta":{}`, "write", `{"text":"x"}`)); string(r.ID) != "6" {
		t.Errorf("the write waited for reads: %s", r.raw)
	}
	if r := p.ask(toolCall(7, `"_meta":{}`, "written", `{}`)); string(r.ID) != "7" {
		t.Errorf("a read waited for reads: %s", r.raw)
	}
}

// At most toolSlots tool calls run at a time.
func TestSlots(t *testing.T) {
	p := dial(t, sample())
	for i := range toolSlots {
		p.write(toolCall(i, `"_meta":{}`, "slow", anHour))
	}
	time.Sleep(50 * time.Millisecond) // they have the slots now
	p.write(toolCall(`"more"`, `"_meta":{}`, "written", `{}`))
	time.Sleep(50 * time.Millisecond) // it would have run
	p.silent()
	if r := p.ask(cancelled(0)); string(r.ID) != `"more"` {
		t.Errorf("got %s", r.raw)
	}
}

// Other requests do not wait for tool calls.
func TestPingBesideQueuedCalls(t *testing.T) {
	p := dial(t, sample())
	for i := range 300 {
		p.write(toolCall(i, `"_meta":{}`, "slow", anHour))
	}
	p.write(toolCall(`"w"`, `"_meta":{}`, "write", anHour))
	p.write(`{"jsonrpc":"2.0","id":"s","method":"resources/read","params":{"uri":"sample://file/slow"}}`)
	p.silent()
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":"r","method":"resources/read","params":{"uri":"sample://one"}}`,
		`{"jsonrpc":"2.0","id":"r","method":"prompts/get","params":{"name":"greet","arguments":{"who":"x"}}}`,
		`{"jsonrpc":"2.0","id":"r","method":"tools/list"}`,
	} {
		if r := p.ask(line); string(r.ID) != `"r"` || r.code() != 0 {
			t.Errorf("got %s", r.raw)
		}
	}
}

// A call sent together with initialize knows the client.
func TestInitializeFirst(t *testing.T) {
	for range 20 {
		p := dial(t, sample())
		p.write(eras[0].open, toolCall(1, `"_meta":{}`, "echo", `{"text":"x"}`))
		if r := p.read(); string(r.ID) != `"open"` {
			t.Fatalf("overtaken: %s", r.raw)
		}
	}
}
