package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"dream-mcp/memory/secret"
)

func TestLineReader(t *testing.T) {
	big := strings.Repeat("x", maxLine)
	for _, row := range []struct {
		name, in string
		want     []string // a line longer than the limit is "long"
	}{
		{"nothing", "", nil},
		{"only a mark", "\uFEFF", nil},
		{"one", "a\n", []string{"a\n"}},
		{"no newline", "a\nb", []string{"a\n", "b"}},
		{"empty lines", "\n\n", []string{"\n", "\n"}},
		{"mark", "\uFEFFa\n\uFEFFb\n", []string{"a\n", "\uFEFFb\n"}},
		{"at the limit", big[1:] + "\nb\n", []string{big[1:] + "\n", "b\n"}}, // the newline counts
		{"over the limit", big + "\nb\n", []string{"long", "b\n"}},
		{"over the limit at the end", "a\n" + big + "y", []string{"a\n", "long"}},
	} {
		r := newLineReader(strings.NewReader(row.in))
		var got []string
		for {
			in, err := r.next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if in.long {
				if len(in.line) > 0 {
					t.Errorf("%s: kept %d bytes", row.name, len(in.line))
				}
				in.line = []byte("long")
			}
			got = append(got, string(in.line))
		}
		if strings.Join(got, "|") != strings.Join(row.want, "|") {
			t.Errorf("%s: got %.60q", row.name, got)
		}
	}
}

// The line before a read error is not lost.
func TestLineReaderError(t *testing.T) {
	bad := errors.New("bad")
	r := newLineReader(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(bad)))
	for _, want := range []string{"a\n", "b"} {
		if in, err := r.next(); err != nil || string(in.line) != want {
			t.Fatalf("got %q, %v", in.line, err)
		}
	}
	for range 2 {
		if _, err := r.next(); err != bad {
			t.Fatalf("got %v", err)
		}
	}
}

// The law of encode: what it writes reads back as the same value.
func FuzzEncode(f *testing.F) {
	f.Add(`a<b>&\u003c"\` + "\u2028")
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "?")
		// A RawMessage that json.Marshal escaped, as types with a marshaller return it.
		inner, _ := json.Marshal(s)
		line, err := secret.JSON([]any{s, json.RawMessage(inner)})
		if err != nil {
			t.Fatal(err)
		}
		var back []string
		if err := json.Unmarshal(line, &back); err != nil || back[0] != s || back[1] != s {
			t.Fatalf("%q: wrote %s, read %q, %v", s, line, back, err)
		}
		if bytes.ContainsAny(line, "\n\r") {
			t.Fatalf("more than a line: %q", line)
		}
	})
}

// The law of the loop: any bytes as a line produce at most one line, valid JSON,
// and the loop answers the next.
func FuzzLine(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `[]`, `null`, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "\xff", "\uFEFF{}",
		toolCall(1, `"_meta":{}`, "echo", `{"text":"x"}`), toolCall(1, modernMeta(`{}`), "write", `{}`), cancelled(1),
		toolCall(`"\ud800"`, `"_meta":{"progressToken":1}`, "panic", `null`), eras[0].open, eras[1].open,
		`{"jsonrpc":"2.0","id":1e400,"method":"resources/read","params":{"uri":"sample://file/%2e%2e"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt"},"argument":{}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		for _, more := range []string{"\n", "burst", "late", "ignoring"} {
			if bytes.Contains(line, []byte(more)) {
				t.Skip("more than one line in, or meant to bring more than one out")
			}
		}
		var out bytes.Buffer
		o := sample()
		o.Drain = 50 * time.Millisecond
		const ping = `{"jsonrpc":"2.0","id":"end of test","method":"ping"}`
		if err := Serve(t.Context(), strings.NewReader(string(line)+"\n"+ping), &out, o); err != nil {
			t.Fatal(err)
		}
		pong, others := 0, 0
		for _, got := range strings.SplitAfter(out.String(), "\n") {
			switch {
			case got == "":
			case !utf8.ValidString(got) || !strings.HasSuffix(got, "\n") || !json.Valid([]byte(got)):
				t.Fatalf("%q brought %q", line, got)
			case string(decode(t, got).ID) == `"end of test"`:
				pong++
			default:
				others++
			}
		}
		if pong != 1 || others > 1 {
			t.Fatalf("%q brought %q", line, &out)
		}
	})
}
