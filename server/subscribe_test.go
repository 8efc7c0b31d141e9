package server

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

func (r reply) uri() string {
	var p struct{ URI string }
	_ = json.Unmarshal(r.Params, &p)
	if r.Method != "notifications/resources/updated" {
		return ""
	}
	return p.URI
}

func TestSubscribe(t *testing.T) {
	o := sample()
	changed := make(chan string)
	o.Changed = changed
	p := dial(t, o)
	change := func(uri string) {
		changed <- uri
		changed <- "sample://none" // received when the first has been announced
	}
	do := func(method, uri string) {
		t.Helper()
		if r := p.ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{"uri":%q}}`, method, uri)); r.code() != 0 {
			t.Fatalf("%s %s: %s", method, uri, r.raw)
		}
	}
	change("sample://one") // nobody has asked
	p.silent()
	do("resources/subscribe", "sample://one")
	do("resources/subscribe", "sample://one") // twice is once
	change("sample://two")
	change("sample://one")
	r := p.read()
	if r.uri() != "sample://one" || strings.Contains(r.raw, "_meta") {
		t.Errorf("got %s", r.raw)
	}
	p.silent()
	do("resources/unsubscribe", "sample://one")
	do("resources/unsubscribe", "sample://never")
	change("sample://one")
	p.silent()
	// Pipelined, they keep their order.
	p.write(`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"sample://one"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"resources/unsubscribe","params":{"uri":"sample://one"}}`)
	p.read()
	p.read()
	change("sample://one")
	p.silent()
}

func TestSubscriptionsAreBounded(t *testing.T) {
	p := dial(t, sample())
	for i := range maxSubscriptions + 1 {
		r := p.ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"sample://file/%d"}}`, i))
		if (r.code() != 0) != (i == maxSubscriptions) {
			t.Fatalf("%d: %s", i, r.raw)
		}
	}
}

func listen(id string, uris ...string) string {
	list, _ := json.Marshal(uris)
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"subscriptions/listen","params":{%s,"notifications":{"toolsListChanged":true,"resourceSubscriptions":%s}}}`, id, modernMeta(`{}`), list)
}

const tag = `"io.modelcontextprotocol/subscriptionId":`

func TestListen(t *testing.T) {
	o := sample()
	changed := make(chan string)
	o.Changed = changed
	o.Drain = time.Hour // listening does not wait for it
	p := dial(t, o)
	// The id as it was sent, in the acknowledgement, the updates and the result.
	const a, b = `9007199254740993`, `"listen:0"`
	for id, uri := range map[string]string{a: "sample://one", b: "sample://two"} {
		r := p.ask(listen(id, uri, "sample://both"))
		if r.Method != "notifications/subscriptions/acknowledged" || !strings.Contains(r.raw, tag+id) ||
			!strings.Contains(r.raw, uri) || strings.Contains(r.raw, "toolsListChanged") {
			t.Fatalf("acknowledgement: %s", r.raw)
		}
	}
	for _, row := range []struct {
		uri  string
		want []string
	}{
		{"sample://none", nil},
		{"sample://one", []string{a}},
		{"sample://two", []string{b}},
		{"sample://both", []string{a, b}},
	} {
		changed <- row.uri
		got := ""
		for range row.want {
			r := p.read()
			if r.uri() != row.uri {
				t.Fatalf("got %s, want %s", r.raw, row.uri)
			}
			got += r.raw
		}
		for _, id := range row.want {
			if strings.Count(got, tag+id) != 1 {
				t.Errorf("%s: not tagged %s: %s", row.uri, id, got)
			}
		}
		p.silent()
	}
	// Cancelled: no result, and no more updates. The other goes on.
	p.write(cancelled(b))
	p.write(`{"jsonrpc":"2.0","id":"read","method":"ping"}`) // its answer says that the cancel was read
	p.read()
	changed <- "sample://both"
	if r := p.read(); r.uri() != "sample://both" || !strings.Contains(r.raw, tag+a) {
		t.Errorf("got %s", r.raw)
	}
	p.silent()
	// At the end of input it ends at once, with a result.
	lines, err := p.end()
	if err != nil || len(lines) != 1 || !strings.Contains(lines[0], `"id":`+a+`,"result"`) || !strings.Contains(lines[0], tag+a) {
		t.Errorf("end: %q, %v", lines, err)
	}
}

// A call that listens to nothing that we have ends at once.
func TestListenToNothing(t *testing.T) {
	p := dial(t, sample())
	if r := p.ask(listen(`1`)); r.Method != "notifications/subscriptions/acknowledged" {
		t.Errorf("got %s", r.raw)
	}
	if r := p.read(); string(r.ID) != "1" || !strings.Contains(r.raw, tag+"1") {
		t.Errorf("got %s", r.raw)
	}
}

// The input ends right after the request.
func TestListenThenEnd(t *testing.T) {
	for range 20 {
		p := dial(t, sample())
		p.write(listen(`1`, "sample://one"))
		lines, err := p.end()
		if err != nil || len(lines) != 2 || !strings.Contains(lines[0], "acknowledged") || !strings.Contains(lines[1], `"result"`) {
			t.Fatalf("got %q, %v", lines, err)
		}
	}
}
