package console

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// writeSessions writes the transcripts, as Claude Code would have (FACTS 4.1, CENSUS 2).
func (w world) writeSessions(dir string) error {
	script, err := demoFiles.ReadFile("demo/sessions.txt")
	if err != nil {
		return err
	}
	var s *session
	lines := bufio.NewScanner(bytes.NewReader(script))
	for n := 1; lines.Scan() && err == nil; n++ {
		line := lines.Text()
		mark, words, _ := strings.Cut(line, " ")
		switch {
		case line == "" || mark == "#" || s == nil && mark != "session":
		case mark == "session":
			if err = s.save(dir); err == nil {
				s, err = w.newSession(words)
			}
		default:
			err = s.add(mark, words)
		}
		if err != nil {
			return fmt.Errorf("sessions.txt:%d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return s.save(dir)
}

// session is a transcript while it is written.
type session struct {
	id, cwd, title string
	at             time.Time
	parent         string
	calls          int
	file           bytes.Buffer
}

// record is a line of a transcript.
type record map[string]any

func (w world) newSession(words string) (*session, error) {
	fields := strings.SplitN(words, " ", 3)
	if len(fields) != 3 {
		return nil, fmt.Errorf("%q is no session", words)
	}
	at, err := time.Parse("2006-01-02 15:04", w.day(fields[0])+" "+fields[1])
	s := &session{id: uuid(fields[2]), cwd: w.project, title: fields[2], at: at}
	s.write(record{"type": "permission-mode", "permissionMode": "default", "sessionId": s.id})
	return s, err
}

// uuid makes a name of words, the same every time.
func uuid(words string) string {
	h := sha256.Sum256([]byte(words))
	h[6], h[8] = h[6]&0x0f|0x40, h[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", h[:4], h[4:6], h[6:8], h[8:10], h[10:16])
}

// add writes the record that a line of the script stands for.
func (s *session) add(mark, words string) error {
	s.at = s.at.Add(47 * time.Second)
	switch mark {
	case ">":
		s.turn("user", record{"role": "user", "content": words})
	case "<":
		s.turn("assistant", answer(uuid(words)[:8], record{"type": "text", "text": words}))
	case "!":
		s.calls++
		name, argument, _ := strings.Cut(words, " ")
		key := "command"
		if name == "WebFetch" {
			key = "url"
		}
		s.turn("assistant", answer(s.call(), record{"type": "tool_use", "id": s.call(), "name": name, "input": record{key: argument}}))
	case "=":
		s.turn("user", record{"role": "user", "content": []record{{"type": "tool_result", "tool_use_id": s.call(), "content": words}}})
	case "+":
		s.write(record{"type": "queue-operation", "operation": "enqueue", "timestamp": s.stamp(), "sessionId": s.id, "content": words})
	case "@":
		s.write(s.envelope("attachment", record{"attachment": record{"type": "instructions", "content": words}}))
	default:
		return fmt.Errorf("%q is no record", mark)
	}
	return nil
}

// call is the name of the last call of a tool.
func (s *session) call() string { return fmt.Sprintf("toolu_%s_%d", s.id[:8], s.calls) }

func answer(id string, block record) record {
	return record{"id": "msg_" + id, "type": "message", "role": "assistant", "model": "claude-demo", "content": []record{block}, "stop_reason": nil}
}

func (s *session) turn(kind string, message record) {
	s.write(s.envelope(kind, record{"message": message}))
}

// envelope adds to a record what those of a conversation share.
func (s *session) envelope(kind string, r record) record {
	var parent any
	if s.parent != "" {
		parent = s.parent
	}
	s.parent = uuid(fmt.Sprint(s.id, s.file.Len()))
	for k, v := range (record{
		"type": kind, "uuid": s.parent, "parentUuid": parent, "sessionId": s.id, "timestamp": s.stamp(), "cwd": s.cwd,
		"isSidechain": false, "userType": "external", "entrypoint": "cli", "version": "2.1.329", "gitBranch": "HEAD",
	}) {
		r[k] = v
	}
	return r
}

func (s *session) stamp() string { return s.at.Format("2006-01-02T15:04:05.000Z") }

func (s *session) write(r record) {
	line, _ := json.Marshal(r) // strings, and maps of them, always have a form
	s.file.Write(append(line, '\n'))
}

// save writes the transcript; a nil session is none.
func (s *session) save(dir string) error {
	if s == nil {
		return nil
	}
	s.write(record{"type": "ai-title", "aiTitle": s.title, "sessionId": s.id})
	name := filepath.Join(dir, s.id+".jsonl")
	if err := os.WriteFile(name, s.file.Bytes(), 0o600); err != nil {
		return err
	}
	return os.Chtimes(name, s.at, s.at)
}
