package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"sync"
)

const (
	sessionHeader = "Mcp-Session-Id"
	// maxBody and maxLine bound a message in bytes; the server's own limit is lower.
	maxBody = 32 << 20
	maxLine = 32 << 20
	// backlog is how many messages may wait for a stream's reader.
	backlog = 1024
)

// A bridge answers HTTP requests through processes.
type bridge struct {
	ctx      context.Context
	command  []string
	mu       sync.Mutex
	sessions map[string]*session
}

func newBridge(ctx context.Context, command []string) *bridge {
	return &bridge{ctx: ctx, command: command, sessions: map[string]*session{}}
}

// A message is what the bridge has to know of a JSON-RPC message to pass it on.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Token json.RawMessage `json:"progressToken"` // of a notification
		Meta  struct {
			Token   json.RawMessage `json:"progressToken"` // of a request
			Version string          `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	} `json:"params"`
	Error *struct{ Code int } `json:"error"`
}

func (b *bridge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if host, _, err := net.SplitHostPort(r.Host); err != nil || host != "localhost" && host != "127.0.0.1" {
		http.Error(w, "not for this host", http.StatusForbidden) // somebody's page, by a name that was bent
		return
	}
	s, known := b.session(r.Header.Get(sessionHeader))
	switch {
	case r.Method == http.MethodPost:
		b.post(w, r, s)
	case !known:
		http.Error(w, "no such session", http.StatusNotFound)
	case r.Method == http.MethodGet:
		s.stream(w, r, s.listen(nil, nil))
	case r.Method == http.MethodDelete:
		b.forget(s)
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

func (b *bridge) session(id string) (*session, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, known := b.sessions[id]
	return s, known
}

func (b *bridge) forget(s *session) {
	b.mu.Lock()
	delete(b.sessions, s.id)
	b.mu.Unlock()
	s.end()
}

// post passes one message on and, when it is a request, streams what comes back until the answer.
func (b *bridge) post(w http.ResponseWriter, r *http.Request, s *session) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	var m message
	_ = json.Unmarshal(body, &m) // what it is not, the server will say
	if s == nil {
		if r.Header.Get(sessionHeader) != "" {
			http.Error(w, "no such session", http.StatusNotFound)
			return
		}
		if s, err = start(b.ctx, b.command); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		if m.Method == "initialize" && m.Params.Meta.Version == "" {
			b.mu.Lock()
			b.sessions[s.id] = s
			b.mu.Unlock()
			w.Header().Set(sessionHeader, s.id)
		} else {
			defer s.end()
		}
	}
	if m.Method != "" && m.ID == nil || m.Method == "" && m.ID != nil {
		s.say(body)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	l := s.listen(m.ID, m.Params.Meta.Token)
	s.say(body)
	s.stream(w, r, l)
}

// A session is one process and who waits for what it says.
type session struct {
	id      string
	in      io.WriteCloser
	writing sync.Mutex

	mu        sync.Mutex
	listeners []*listener
	ended     bool
}

// A listener gets the answer to one request and what belongs to it, or (id nil) what belongs to none.
type listener struct {
	id, token json.RawMessage
	lines     chan []byte // closed when there will be no more
}

func start(ctx context.Context, command []string) (*session, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &session{id: rand.Text(), in: in}
	go func() {
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, maxLine)
		for lines.Scan() {
			s.dispatch(bytes.Clone(lines.Bytes()))
		}
		s.close()
		if err := cmd.Wait(); err != nil && ctx.Err() == nil {
			fmt.Fprintln(os.Stderr, "conformance: the server ended with", err)
		}
	}()
	return s, nil
}

func (s *session) say(body []byte) {
	var line bytes.Buffer
	if json.Compact(&line, body) != nil { // a message over several lines is one line here
		line.Reset()
		line.Write(body)
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	_, _ = s.in.Write(append(line.Bytes(), '\n')) // a server that is gone closes its listeners
}

func (s *session) end() {
	s.writing.Lock()
	defer s.writing.Unlock()
	_ = s.in.Close()
}

func (s *session) listen(id, token json.RawMessage) *listener {
	l := &listener{id: id, token: token, lines: make(chan []byte, backlog)}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		close(l.lines)
	} else {
		s.listeners = append(s.listeners, l)
	}
	return l
}

// dispatch passes a line of the server to the listener that it is for.
func (s *session) dispatch(line []byte) {
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		fmt.Fprintf(os.Stderr, "conformance: the server wrote %q: %v\n", line, err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, l := range s.listeners {
		answers := m.Method == "" && l.id != nil && (bytes.Equal(l.id, m.ID) || string(m.ID) == "null")
		if answers || m.Method != "" && (l.token == nil && m.Params.Token == nil || bytes.Equal(l.token, m.Params.Token)) {
			l.lines <- line
			if answers {
				close(l.lines)
				s.listeners = append(s.listeners[:i:i], s.listeners[i+1:]...)
			}
			return
		}
	}
}

func (s *session) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.listeners {
		close(l.lines)
	}
	s.listeners, s.ended = nil, true
}

// stream writes what a listener receives: a single answer as JSON, more as events.
func (s *session) stream(w http.ResponseWriter, r *http.Request, l *listener) {
	events := false
	begin := func() {
		events = true
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
	}
	if l.id == nil {
		begin()
	}
	for {
		select {
		case line, more := <-l.lines:
			if !more {
				if !events {
					http.Error(w, "the server ended", http.StatusBadGateway)
				}
				return
			}
			var m message
			_ = json.Unmarshal(line, &m)
			if m.Method == "" && !events {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(status(m))
				_, _ = w.Write(line)
				return
			}
			if !events {
				begin()
			}
			fmt.Fprintf(w, "event: message\ndata: %s\n\n", line)
			w.(http.Flusher).Flush()
			if m.Method == "" {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}

// status is what the stateless era's HTTP binding wants for an answer.
func status(m message) int {
	switch {
	case m.Error == nil:
		return http.StatusOK
	case m.Error.Code == -32601:
		return http.StatusNotFound
	default:
		return http.StatusBadRequest
	}
}
