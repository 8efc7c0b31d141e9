package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
)

// maxLine is the longest message that is read, in bytes, as in go-sdk. Longer
// lines are skipped without being held.
const maxLine = 16 << 20

// An input is one line of the client. A line longer than maxLine is long, and empty.
type input struct {
	line []byte
	long bool
}

// A lineReader cuts a stream into lines. The last one needs no newline, and a
// byte order mark before the first is skipped.
type lineReader struct {
	r       *bufio.Reader
	started bool
	err     error // what ended the stream after the last line
}

func newLineReader(in io.Reader) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(in, 64<<10)}
}

// next reads one line; after the last it returns the error that ended the stream.
func (l *lineReader) next() (input, error) {
	var in input
	some := false
	for l.err == nil {
		chunk, err := l.r.ReadSlice('\n')
		if !l.started {
			l.started = true
			chunk = bytes.TrimPrefix(chunk, []byte("\uFEFF"))
		}
		some = some || len(chunk) > 0
		if in.long = in.long || len(in.line)+len(chunk) > maxLine; in.long {
			in.line = nil
		} else {
			in.line = append(in.line, chunk...)
		}
		if err == nil {
			return in, nil
		}
		if err != bufio.ErrBufferFull {
			l.err = err
		}
	}
	if some {
		return in, nil
	}
	return input{}, l.err
}

// A message is a request, a notification when it has no id, or a response when it has no method.
type message struct {
	id     json.RawMessage // a JSON string or number, the bytes as they were sent
	method string
	params json.RawMessage // a JSON object, or nil
	result json.RawMessage // of a response; nil: an error
}

// A refusal is a JSON-RPC error before anything has run.
type refusal struct {
	id   json.RawMessage // nil: null
	code int
	text string
}

// parse reads a line as one message. It never refuses a response: a response has no
// answer.
func parse(line []byte) (message, *refusal) {
	if !utf8.Valid(line) {
		r := &refusal{nil, mcp.PARSE_ERROR, "not valid UTF-8"}
		// The id can be used if the bad bytes are elsewhere, in a string.
		if m, _ := parse(bytes.ToValidUTF8(line, []byte("\uFFFD"))); !bytes.ContainsRune(m.id, utf8.RuneError) {
			r.id = m.id
		}
		return message{}, r
	}
	// A map has exact keys; a struct would match other cases too.
	var members map[string]json.RawMessage
	if err := json.Unmarshal(line, &members); err != nil || members == nil {
		switch {
		case !json.Valid(line):
			return message{}, &refusal{nil, mcp.PARSE_ERROR, "not one JSON value"}
		case bytes.HasPrefix(bytes.TrimSpace(line), []byte("[")):
			return message{}, &refusal{nil, mcp.INVALID_REQUEST, "batches are not supported: send one message a line"}
		}
		return message{}, &refusal{nil, mcp.INVALID_REQUEST, "a message must be a JSON object"}
	}
	id, hasID := members["id"]
	method, hasMethod := members["method"]
	result, hasResult := members["result"]
	_, hasError := members["error"]
	if !hasMethod && (hasResult || hasError) {
		return message{id: id, result: result}, nil
	}
	if hasID && !validID(id) {
		return message{}, &refusal{nil, mcp.INVALID_REQUEST, "id must be a string or a number"}
	}
	m := message{id: id}
	var version string
	if json.Unmarshal(members["jsonrpc"], &version) != nil || version != mcp.JSONRPC_VERSION {
		return message{}, &refusal{id, mcp.INVALID_REQUEST, `jsonrpc must be "2.0"`}
	}
	if json.Unmarshal(method, &m.method) != nil || m.method == "" {
		return message{}, &refusal{id, mcp.INVALID_REQUEST, "method must be a string that is not empty"}
	}
	if p := members["params"]; len(p) > 0 && string(p) != "null" {
		if p[0] != '{' {
			return message{}, &refusal{id, mcp.INVALID_PARAMS, "params must be an object"}
		}
		m.params = p
	}
	return m, nil
}

// validID reports whether a JSON value may be an id.
func validID(v json.RawMessage) bool {
	return len(v) > 0 && (v[0] == '"' || v[0] == '-' || '0' <= v[0] && v[0] <= '9')
}

// idKey returns a key that is equal for equal ids, however their strings are escaped.
func idKey(id json.RawMessage) string {
	var s string
	if json.Unmarshal(id, &s) == nil {
		return `"` + s
	}
	return string(id)
}
