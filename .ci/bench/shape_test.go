package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// What was counted in real transcripts. The lengths of lines are percentiles; shares are in percent, of all bytes for
// texts and of all lines for kinds of records. It measures how long texts are in all, and how many lines of each kind
// there are; that lines are 3,000 bytes long on average follows from its percentiles. How long those are that hold a
// word was measured apart.
func TestCorpusIsLikeReal(t *testing.T) {
	projects := t.TempDir()
	c, err := generate(t.Context(), projects, 1, 60, 48<<20)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(c.folder, "*.jsonl"))
	if err != nil || len(files) != 60 {
		t.Fatal(files, err)
	}
	var lengths, planted []int
	shares := map[string]int{}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			lengths = append(lengths, len(line))
			if bytes.Contains(line, []byte(mediumWord)) {
				planted = append(planted, len(line))
			}
			shapeOf(t, line, shares)
		}
	}
	slices.Sort(lengths)
	percentile := func(p float64) float64 { return float64(lengths[int(p*float64(len(lengths)))]) }
	ofBytes := func(kind string) float64 { return 100 * float64(shares[kind]) / float64(c.size) }
	ofLines := func(kind string) float64 { return 100 * float64(shares[kind]) / float64(c.lines) }
	for name, row := range map[string]struct{ got, real, tolerance float64 }{
		"lines, median":                 {percentile(0.5), 1113, 0.15},
		"lines, one of 10":              {percentile(0.9), 5260, 0.15},
		"lines, one of 100":             {percentile(0.99), 34203, 0.25},
		"lines, one of 1000":            {percentile(0.999), 108872, 0.35},
		"lines, mean":                   {float64(c.size) / float64(c.lines), 3000, 0.15},
		"lines with a word, mean":       {float64(sum(planted)) / float64(len(planted)), 10000, 0.4},
		"bytes that people type":        {ofBytes("typed"), 1.26, 0.3},
		"bytes that the model says":     {ofBytes("text"), 2.1, 0.25},
		"bytes that the model thinks":   {ofBytes("thinking"), 1.3, 0.25},
		"bytes of what tools are asked": {ofBytes("input"), 4.5, 0.2},
		"bytes of what tools answer":    {ofBytes("result"), 12.8, 0.2},
		"bytes of toolUseResult":        {ofBytes("kept"), 23.7, 0.2},
		"bytes of images":               {ofBytes("image"), 3.7, 0.6}, // they are few
		"records of the model":          {ofLines("assistant"), 37.5, 0.1},
		"records of users":              {ofLines("user"), 22.6, 0.1},
		"records of progress":           {ofLines("progress"), 13.1, 0.1},
		"records of attachments":        {ofLines("attachment"), 12.8, 0.1},
		"records with a toolUseResult":  {ofLines("keeps"), 15.7, 0.15},
		"records of the system":         {ofLines("system"), 2.0, 0.35},
		"snapshots of files":            {ofLines("file-history-snapshot"), 2.3, 0.15},
		"last prompts":                  {ofLines("last-prompt"), 1.8, 0.2},
		"operations of the queue":       {ofLines("queue-operation"), 1.8, 0.15},
		"modes":                         {ofLines("permission-mode"), 2.6, 0.15},
		"titles and names":              {ofLines("ai-title"), 2.3, 0.15},
		"thoughts without a text":       {100 * float64(shares["signatures"]) / float64(shares["thoughts"]), 44, 0.1},
		"lines without a time":          {ofLines("untimed"), 10.1, 0.2},
		"escapes, of all bytes":         {ofBytes("escapes"), 2.5, 0.2},
		"escapes of control characters": {ofBytes("controls"), 0.023, 0.5},
	} {
		if row.got < row.real*(1-row.tolerance) || row.got > row.real*(1+row.tolerance) {
			t.Errorf("%s: %.3f, real ones have %.3f", name, row.got, row.real)
		}
	}
}

// shapeOf adds what a line holds to the shares.
func shapeOf(t *testing.T, line []byte, shares map[string]int) {
	t.Helper()
	var r struct {
		Type, Timestamp string
		IsMeta          bool
		Message         struct{ Content json.RawMessage }
		ToolUseResult   json.RawMessage
	}
	if err := json.Unmarshal(line, &r); err != nil {
		t.Fatal(err)
	}
	shares[r.Type]++
	if r.Timestamp == "" {
		shares["untimed"]++
	}
	for at := 0; at < len(line); at++ {
		if line[at] == '\\' {
			at++
			shares["escapes"]++
			if line[at] == 'u' {
				shares["controls"]++
			}
		}
	}
	var blocks []struct {
		Type, Text, Thinking string
		Input, Content       json.RawMessage
	}
	switch {
	case len(r.Message.Content) == 0:
	case r.Message.Content[0] == '"':
		if !r.IsMeta {
			shares["typed"] += len(r.Message.Content)
		}
	default:
		if err := json.Unmarshal(r.Message.Content, &blocks); err != nil {
			t.Fatal(err)
		}
	}
	image := bytes.Contains(r.Message.Content, []byte(`"base64"`))
	for _, b := range blocks {
		shares["text"] += len(b.Text)
		shares["thinking"] += len(b.Thinking)
		if b.Type == "thinking" {
			shares["thoughts"]++
			if b.Thinking == "" {
				shares["signatures"]++
			}
		}
		shares["input"] += len(b.Input)
		if image {
			shares["image"] += len(b.Content)
		} else {
			shares["result"] += len(b.Content)
		}
	}
	if len(r.ToolUseResult) > 0 {
		shares["keeps"]++
		if image {
			shares["image"] += len(r.ToolUseResult)
		} else {
			shares["kept"] += len(r.ToolUseResult)
		}
	}
}

func sum(all []int) (n int) {
	for _, x := range all {
		n += x
	}
	return n
}
