package server

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Every malformed line is answered as JSON-RPC requires, or ignored, and the loop goes
// on: in this process, and in a process with real pipes.
func TestWire(t *testing.T) {
	for name, open := range map[string]func(*testing.T) *peer{
		"here":    func(t *testing.T) *peer { return dial(t, sample()) },
		"process": spawn,
	} {
		t.Run(name, func(t *testing.T) { testWire(t, open(t)) })
	}
}

func testWire(t *testing.T, p *peer) {
	ping := func(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}` }
	for _, row := range []struct {
		name, line string
		id         string // of the answer; "" when there must be none
		code       int
	}{
		{"not JSON", `hello`, `null`, -32700},
		{"truncated", `{"jsonrpc":"2.0","id":1,"meth`, `null`, -32700},
		{"two objects", ping("1") + ping("2"), `null`, -32700},
		{"two objects, apart", ping("1") + " " + ping("2"), `null`, -32700},
		{"deep", strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), `null`, -32700},
		{"NUL", "\x00", `null`, -32700},
		{"empty", ``, ``, 0},
		{"blank", " \t \r", ``, 0},
		{"CRLF", ping("1") + "\r", `1`, 0},
		{"batch", `[` + ping("1") + `]`, `null`, -32600},
		{"empty batch", ` []`, `null`, -32600},
		{"null", `null`, `null`, -32600},
		{"number", `5`, `null`, -32600},
		{"string", `"ping"`, `null`, -32600},
		{"empty object", `{}`, `null`, -32600},
		{"jsonrpc 1.0", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, `1`, -32600},
		{"no jsonrpc", `{"id":1,"method":"ping"}`, `1`, -32600},
		{"jsonrpc of a wrong type", `{"jsonrpc":2.0,"id":1,"method":"ping"}`, `1`, -32600},
		{"id object", ping(`{"a":1}`), `null`, -32600},
		{"id array", ping(`[1]`), `null`, -32600},
		{"id bool", ping(`true`), `null`, -32600},
		{"id null", ping(`null`), `null`, -32600},
		{"id string", ping(`"a"`), `"a"`, 0},
		{"id empty string", ping(`""`), `""`, 0},
		{"id escaped", ping(`"\u00e9\/<"`), `"\u00e9\/<"`, 0},
		{"id zero", ping(`0`), `0`, 0},
		{"id negative", ping(`-1`), `-1`, 0},
		{"id over 2^53", ping(`9007199254740993`), `9007199254740993`, 0},
		{"id over 2^64", ping(`123456789012345678901234567890`), `123456789012345678901234567890`, 0},
		{"unknown method", `{"jsonrpc":"2.0","id":1,"method":"no/such"}`, `1`, -32601},
		{"method of a wrong type", `{"jsonrpc":"2.0","id":1,"method":5}`, `1`, -32600},
		{"method empty", `{"jsonrpc":"2.0","id":1,"method":""}`, `1`, -32600},
		{"method null", `{"jsonrpc":"2.0","id":1,"method":null}`, `1`, -32600},
		{"neither request nor response", `{"jsonrpc":"2.0","id":1}`, `1`, -32600},
		{"keys in another case", `{"jsonrpc":"2.0","ID":1,"Method":"ping"}`, `null`, -32600},
		{"params array", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}`, `1`, -32602},
		{"params string", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":"x"}`, `1`, -32602},
		{"params null", `{"jsonrpc":"2.0","id":1,"method":"ping","params":null}`, `1`, 0},
		{"param of a wrong type", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":5}}`, `1`, -32602},
		{"_meta of a wrong type", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":5,"name":"echo"}}`, `1`, -32602},
		{"stray error", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`, ``, 0},
		{"stray result", `{"jsonrpc":"2.0","id":1,"result":{}}`, ``, 0},
		{"stray error without id", `{"jsonrpc":"2.0","error":{"code":1,"message":"x"}}`, ``, 0},
		{"request with a result", `{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`, `1`, 0},
		{"notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, ``, 0},
		{"unknown notification", `{"jsonrpc":"2.0","method":"no/such"}`, ``, 0},
		{"request as a notification", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"write","arguments":{"text":"ghost"}}}`, ``, 0},
		{"cancel of nothing", cancelled(77), ``, 0},
		{"cancel without id", `{"jsonrpc":"2.0","method":"notifications/cancelled"}`, ``, 0},
		{"cancel of an object", cancelled(`{}`), ``, 0},
		{"invalid UTF-8, id first", "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"x\",\"params\":{\"a\":\"\xff\"}}", `5`, -32700},
		{"invalid UTF-8, id last", "{\"method\":\"x\",\"params\":{\"a\":\"\xff\"},\"jsonrpc\":\"2.0\",\"id\":\"b\"}", `"b"`, -32700},
		{"invalid UTF-8 in the id", "{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"x\"}", `null`, -32700},
		{"invalid UTF-8, no JSON", "\xff\xfe", `null`, -32700},
		{"BOM, but not first", "\uFEFF" + ping("1"), `null`, -32700},
		{"U+2028", "{\"jsonrpc\":\"2.0\",\"id\":\"\u2028\",\"method\":\"ping\"}", "\"\u2028\"", 0},
		{"long method", `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("é", 50_000) + `"}`, `1`, -32601},
	} {
		p.write(row.line)
		if row.id != "" {
			r := p.read()
			if string(r.ID) != row.id || r.code() != row.code {
				t.Errorf("%s: got %.300s, want id %s, code %d", row.name, r.raw, row.id, row.code)
			}
			if len(r.raw) > 10_000 {
				t.Errorf("%s: an error of %d bytes", row.name, len(r.raw))
			}
		}
		p.silent()
	}
	if r := p.ask(toolCall(1, `"_meta":{}`, "written", `{}`)); strings.Contains(r.raw, "ghost") {
		t.Errorf("a notification ran a tool: %s", r.raw)
	}
	if rest, err := p.end(); len(rest) > 0 || err != nil {
		t.Errorf("at the end: %q, %v", rest, err)
	}
}

func TestByteOrderMark(t *testing.T) {
	p := spawn(t)
	if r := p.ask("\uFEFF" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`); r.code() != 0 {
		t.Errorf("got %s", r.raw)
	}
}

func TestLastLineWithoutNewline(t *testing.T) {
	for _, era := range eras {
		p := spawn(t)
		if _, err := p.in.Write([]byte(toolCall(1, era.meta, "echo", `{"text":"last"}`))); err != nil {
			t.Fatal(err)
		}
		lines, err := p.end()
		if err != nil || len(lines) != 1 || !strings.Contains(lines[0], "last") {
			t.Errorf("%s: got %q, %v", era.name, lines, err)
		}
	}
}

func TestDuplicateID(t *testing.T) {
	p := dial(t, sample())
	p.write(toolCall(`"a"`, `"_meta":{}`, "slow", `{"ms":300}`))
	if r := p.ask(toolCall(`"\u0061"`, `"_meta":{}`, "echo", `{}`)); r.code() != -32600 {
		t.Errorf("same id: %s", r.raw)
	}
	if r := p.ask(`{"jsonrpc":"2.0","id":"a","method":"ping"}`); r.code() != -32600 {
		t.Errorf("same id for a ping: %s", r.raw)
	}
	if r := p.read(); !strings.Contains(r.raw, "slept") {
		t.Errorf("the first call: %s", r.raw)
	}
	if r := p.ask(`{"jsonrpc":"2.0","id":"a","method":"ping"}`); r.code() != 0 {
		t.Errorf("id used again after its answer: %s", r.raw)
	}
	// 1 and "1" are two ids.
	p.write(toolCall(`1`, `"_meta":{}`, "slow", `{"ms":100}`), toolCall(`"1"`, `"_meta":{}`, "slow", `{"ms":100}`))
	for range 2 {
		if r := p.read(); r.code() != 0 {
			t.Errorf("1 beside \"1\": %s", r.raw)
		}
	}
}

// A line over the limit is refused, is not held, and the loop goes on.
func TestLongLine(t *testing.T) {
	p := dial(t, sample())
	const size = 64 << 20
	filler := strings.Repeat("x", size)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := p.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"a":"` + filler + `"}}`)
	runtime.ReadMemStats(&after)
	if string(r.ID) != "null" || r.code() != -32600 {
		t.Errorf("got %s", r.raw)
	}
	// The line was made here, three times; the server may have grown to its limit; if it held the line, it would be far
	// larger.
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 3*size+8*maxLine {
		t.Errorf("%d MiB allocated", grown>>20)
	}
	p.silent()
}

// The longest line that is allowed is served.
func TestLongestLine(t *testing.T) {
	t.Parallel()
	p := dial(t, sample())
	line := toolCall(1, `"_meta":{}`, "echo", `{"pad":"`)
	line = strings.TrimSuffix(line, "}}")
	const close = `","text":"whole"}}}`
	line += strings.Repeat("x", maxLine-len(line)-len(close)-1) + close
	if r := p.ask(line); !strings.Contains(r.raw, "whole") {
		t.Errorf("got %.300s", r.raw)
	}
	if r := p.ask(strings.Replace(line, "x", "xx", 1)); r.code() != -32600 {
		t.Errorf("one byte more: got %.300s", r.raw)
	}
}

// More requests than may be under way are refused, and those under way can still
// be cancelled.
func TestFlightIsBounded(t *testing.T) {
	t.Parallel()
	p := dial(t, sample())
	for i := range maxFlight {
		p.write(toolCall(i, `"_meta":{}`, "slow", `{"ms":600000}`))
	}
	if r := p.ask(toolCall(`"more"`, `"_meta":{}`, "echo", `{}`)); r.code() != -32600 || string(r.ID) != `"more"` {
		t.Fatalf("got %s", r.raw)
	}
	for i := range maxFlight {
		p.write(cancelled(i))
	}
	deadline := time.Now().Add(time.Minute)
	for p.ask(toolCall(`"again"`, `"_meta":{}`, "echo", `{}`)).code() != 0 {
		if time.Now().After(deadline) {
			t.Fatal("no room after all were cancelled")
		}
		time.Sleep(time.Millisecond)
	}
}

// 2,500 requests at once, of every kind: one answer each, none lost.
func TestStress(t *testing.T) {
	t.Parallel()
	for _, era := range eras {
		t.Run(era.name, func(t *testing.T) {
			p := dial(t, sample())
			const n = 2500
			go func() {
				for i := range n {
					switch i % 5 {
					case 0:
						p.write(toolCall(i, era.meta, "echo", fmt.Sprintf(`{"text":"t%d"}`, i)))
					case 1:
						p.write(toolCall(i, era.meta, "burst", `{"n":3}`))
					case 2:
						p.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list","params":{%s}}`, i, era.meta))
					case 3:
						p.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/read","params":{%s,"uri":"sample://file/%d"}}`, i, era.meta, i))
					case 4:
						p.write(toolCall(i, era.meta, "write", `{"text":"x"}`))
					}
				}
			}()
			seen, steps := map[int]bool{}, 0
			for len(seen) < n {
				r := p.read()
				if r.Method != "" {
					steps++
					continue
				}
				var id int
				if err := json.Unmarshal(r.ID, &id); err != nil || r.code() != 0 || seen[id] {
					t.Fatalf("got %s", r.raw)
				}
				seen[id] = true
			}
			if want := n / 5 * 3; steps != want {
				t.Errorf("%d progress notifications, want %d", steps, want)
			}
		})
	}
}
