package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
)

// maxPublic is the largest file that is read, in bytes: LongMemEval's has 280 MB.
const maxPublic = 512 << 20

func readPublic(path string) ([]byte, error) {
	stat, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !stat.Mode().IsRegular() || stat.Size() > maxPublic {
		return nil, fmt.Errorf("%q is not a regular file of at most %d bytes", path, maxPublic)
	}
	return os.ReadFile(path)
}

// readLongMemEval reads a file in LongMemEval's format: a list of questions, each with the sessions to search.
// The evidence is the turns marked has_answer, or else all turns of the sessions that hold the answer.
func readLongMemEval(path string) ([]set, error) {
	text, err := readPublic(path)
	if err != nil {
		return nil, err
	}
	var samples []struct {
		Question string   `json:"question"`
		Type     string   `json:"question_type"`
		IDs      []string `json:"haystack_session_ids"`
		Dates    []string `json:"haystack_dates"`
		Sessions [][]struct {
			Role      string `json:"role"`
			Content   string `json:"content"`
			HasAnswer bool   `json:"has_answer"`
		} `json:"haystack_sessions"`
		Answers []string `json:"answer_session_ids"`
	}
	if err := json.Unmarshal(text, &samples); err != nil {
		return nil, fmt.Errorf("%q: %w", path, err)
	}
	var sets []set
	for _, sample := range samples {
		s, marked, whole := set{}, []string(nil), []string(nil)
		for i, session := range sample.Sessions {
			name, at := strconv.Itoa(i), time.Time{}
			if i < len(sample.Dates) {
				at, _ = time.Parse("2006/01/02 (Mon) 15:04", sample.Dates[i])
			}
			holds := i < len(sample.IDs) && slices.Contains(sample.Answers, sample.IDs[i])
			for j, t := range session {
				id := name + ":" + strconv.Itoa(j+1)
				s.turns = append(s.turns, turn{id: id, session: name, text: t.Content, user: t.Role == "user", time: at})
				if t.HasAnswer {
					marked = append(marked, id)
				}
				if holds {
					whole = append(whole, id)
				}
			}
		}
		if marked == nil {
			marked = whole
		}
		if marked == nil {
			continue // a question that nothing answers
		}
		s.questions = []question{{Question: sample.Question, Category: sample.Type, Lang: "en", Evidence: marked}}
		sets = append(sets, s)
	}
	return sets, nil
}

var locomoCategory = map[int]string{1: "multi", 2: "temporal", 3: "open", 4: "single", 5: "adversarial"}

// readLocomo reads a file in LoCoMo's format: a list of conversations, each with session_N lists of
// turns and session_N_date_time, and qa with evidence by dia_id. Speaker A is taken for the user.
func readLocomo(path string, labels bool) ([]set, error) {
	text, err := readPublic(path)
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
