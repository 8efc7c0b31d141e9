package main

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"time"
)

//go:embed testdata/conversations.jsonl
var conversations []byte

//go:embed testdata/questions.jsonl
var questions []byte

//go:embed testdata/work.jsonl
var work []byte

//go:embed testdata/work_questions.jsonl
var workQuestions []byte

// A set is turns, and questions about them.
type set struct {
	turns     []turn
	questions []question
}

// own returns the sets in testdata: people who talk, the same among the task talk of an agent's
// sessions, and people who work with an agent, among task talk too.
func own() (talk, noisyTalk, worked set, err error) {
	if talk, err = parse(conversations, questions); err != nil {
		return
	}
	worked, err = parse(work, workQuestions)
	return talk, noisy(talk), noisy(worked), err
}

type turn struct {
	id, session, text string
	user              bool
	time              time.Time
}

type question struct {
	Question string   `json:"question"`
	Category string   `json:"category"`
	Lang     string   `json:"lang"`
	Evidence []string `json:"evidence"`
}

// held says that the question was kept from whoever tuned the numbers: a third of them, by chance.
func (q question) held() bool {
	h := fnv.New32a()
	h.Write([]byte(q.Question))
	return h.Sum32()>>8%3 == 0
}

// parse reads a set: conversations and questions, a JSON object a line.
func parse(conversations, questions []byte) (set, error) {
	var s set
	err := eachLine(conversations, func(line []byte) error {
		var c struct {
			ID    string    `json:"id"`
			Time  time.Time `json:"time"`
			Turns []string  `json:"turns"`
		}
		if err := json.Unmarshal(line, &c); err != nil {
			return err
		}
		for i, t := range c.Turns {
			speaker, text, _ := strings.Cut(t, " ")
			s.turns = append(s.turns, turn{
				id:      c.ID + ":" + strconv.Itoa(i+1),
				session: c.ID,
				text:    text,
				user:    speaker == "u",
				time:    c.Time.Add(time.Duration(i) * time.Minute),
			})
		}
		return nil
	})
	if err != nil {
		return s, err
	}
	err = eachLine(questions, func(line []byte) error {
		var q question
		if err := json.Unmarshal(line, &q); err != nil {
			return err
		}
		s.questions = append(s.questions, q)
		return nil
	})
	return s, err
}

func eachLine(text []byte, do func([]byte) error) error {
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		if err := do(lines.Bytes()); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return lines.Err()
}
