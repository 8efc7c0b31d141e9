package main

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"
)

//go:embed testdata/conversations.jsonl
var conversations []byte

//go:embed testdata/questions.jsonl
var questions []byte

// A set is turns, and questions about them.
type set struct {
	turns     []turn
	questions []question
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

// own returns the set in testdata.
func own() ([]set, error) {
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
		return nil, err
	}
	err = eachLine(questions, func(line []byte) error {
		var q question
		if err := json.Unmarshal(line, &q); err != nil {
			return err
		}
		s.questions = append(s.questions, q)
		return nil
	})
	return []set{s}, err
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

// maxLocomo is more than ten times the public file.
const maxLocomo = 64 << 20

var locomoCategory = map[int]string{1: "multi", 2: "temporal", 3: "open", 4: "single", 5: "adversarial"}

// readLocomo reads a file in LoCoMo's format: a list of conversations, each with session_N lists of
// turns and session_N_date_time, and qa with evidence by dia_id. Speaker A is taken for the user.
func readLocomo(path string, labels bool) ([]set, error) {
	stat, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !stat.Mode().IsRegular() || stat.Size() > maxLocomo {
		return nil, fmt.Errorf("%q is no regular file of at most %d bytes", path, maxLocomo)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var samples []struct {
		QA []struct {
			Question string          `json:"question"`
			Evidence []string        `json:"evidence"`
			Category json.RawMessage `json:"category"`
		} `json:"qa"`
		Conversation map[string]json.RawMessage `json:"conversation"`
	}
	if err := json.Unmarshal(text, &samples); err != nil {
		return nil, fmt.Errorf("%q: %w", path, err)
	}
	var sets []set
	for n, sample := range samples {
		s := set{}
		var userName string
		_ = json.Unmarshal(sample.Conversation["speaker_a"], &userName) // absent: the first to speak
		for _, name := range sessionNames(sample.Conversation) {
			var spoken []struct {
				Speaker string `json:"speaker"`
				ID      string `json:"dia_id"`
				Text    string `json:"text"`
			}
			if err := json.Unmarshal(sample.Conversation[name], &spoken); err != nil {
				return nil, fmt.Errorf("%q: conversation %d: %s: %w", path, n+1, name, err)
			}
			var date string
			_ = json.Unmarshal(sample.Conversation[name+"_date_time"], &date) // absent: no time
			at, _ := time.Parse("3:04 pm on 2 January, 2006", date)
			for i, t := range spoken {
				if userName == "" {
					userName = t.Speaker
				}
				said := t.Text
				if labels {
					said = t.Speaker + ": " + said
				}
				one := turn{id: t.ID, session: name, text: said, user: t.Speaker == userName}
				if !at.IsZero() {
					one.time = at.Add(time.Duration(i) * time.Minute)
				}
				s.turns = append(s.turns, one)
			}
		}
		for _, qa := range sample.QA {
			var evidence []string
			for _, e := range qa.Evidence {
				// Some entries name several turns.
				evidence = append(evidence, diaID.FindAllString(e, -1)...)
			}
			if len(evidence) == 0 {
				continue
			}
			category, _ := strconv.Atoi(strings.Trim(string(qa.Category), `"`))
			label := locomoCategory[category]
			if label == "" {
				label = "other"
			}
			s.questions = append(s.questions, question{Question: qa.Question, Category: label, Lang: "en", Evidence: evidence})
		}
		sets = append(sets, s)
	}
	return sets, nil
}

var (
	diaID       = regexp.MustCompile(`D\d+:\d+`)
	sessionName = regexp.MustCompile(`^session_(\d+)$`)
)

func sessionNames(conversation map[string]json.RawMessage) []string {
	var names []string
	number := map[string]int{}
	for name := range conversation {
		if m := sessionName.FindStringSubmatch(name); m != nil {
			number[name], _ = strconv.Atoi(m[1])
			names = append(names, name)
		}
	}
	sort.Slice(names, func(i, j int) bool { return number[names[i]] < number[names[j]] })
	return names
}
