package related

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A line of the index contradicts its memory where it gives another value for the same thing.
// Of two memories all words are in few; of many the same two are found.
func TestAlike(t *testing.T) {
	docs := []Document{
		{File: "feedback_pr_size.md", Description: "Pull requests stay below 400 lines", Body: "Split larger work before a PR is opened."},
		{File: "feedback_small_prs.md", Description: "PRs must be small: at most 400 lines of diff", Body: "Never open a larger PR. Split it into a stack instead."},
	}
	for i := range 60 {
		if got := New(docs).Alike(0.28); fmt.Sprint(got) != "[[0 1]]" {
			t.Fatalf("with %d others: got %v", i, got)
		}
		docs = append(docs, Document{File: fmt.Sprintf("other_%d.md", i), Description: fmt.Sprintf("quay%d has crane%d", i, i)})
	}
}

func TestBeside(t *testing.T) {
	x := New(docs())
	if pairs := x.Beside([]Passage{{Text: "The buoys are deployed in spring, with Ines."}}, nil, 10); len(pairs) > 0 {
		t.Errorf("got %+v: one word is chance", pairs)
	}
	own := func(file string) bool { return file == "new.md" }
	pairs := x.Beside([]Passage{{Text: "The shop moved to Postgres 17, port 5433."}, {Text: "Rollbacks keep the old image on host-7."}}, own, 10)
	if len(pairs) != 2 || pairs[0].File == pairs[1].File {
		t.Fatalf("got %+v, want the passage on Postgres and that on the image", pairs)
	}
	for _, p := range pairs {
		if strings.Contains(p.Text, "host-7") && !strings.Contains(p.From.Text, "host-7") {
			t.Errorf("%q is beside %q", p.Text, p.From.Text)
		}
	}
}

// The passages that say most of the same come first, however many are of one memory, and a long one that shares more
// words after them.
func TestBesideNearest(t *testing.T) {
	said := []Passage{{Text: "The crane lifts 40 tonnes."}, {Text: "Ferry tickets cost 12 crowns."}, {Text: "The lighthouse lamp burns kerosene."}}
	docs := []Document{
		{File: "harbour.md", Body: "- The crane lifts 35 tonnes.\n- Ferry tickets cost 9 crowns.\n- The lighthouse lamp burns gas.\n"},
		{File: "log.md", Body: "In the log of May the master of the quay wrote that the crane, which lifts sacks of up to two tonnes from the barges, " +
			"was oiled, that tickets of the night ferry cost passengers a whole day's wage in crowns, and that a lamp was stolen from the shed.\n"},
	}
	for i := range 40 {
		docs = append(docs, Document{File: fmt.Sprintf("other_%d.md", i), Body: fmt.Sprintf("Quay %d is painted.\n", i)})
	}
	for _, p := range New(docs).Beside(said, nil, 3) {
		if p.File != "harbour.md" {
			t.Errorf("%q is among the three nearest", p.Text)
		}
	}
}

// A passage with another value of the same thing comes before one that shares more words, and is not left out where its
// memory has a nearer one.
func TestBesideOtherValue(t *testing.T) {
	docs := []Document{
		{File: "crane.md", Body: "The crane at the north quay lifts sacks from barges in the morning.\n\nIts rope is changed; it lifts 35 tonnes at most, says Ines.\n"},
		{File: "quay.md", Body: "At the north quay barges bring sacks, and a crane lifts what the morning brings.\n\nIn the morning the north quay is wet.\n"},
	}
	for i := range 40 {
		docs = append(docs, Document{File: fmt.Sprintf("other_%d.md", i), Body: fmt.Sprintf("Shed %d is painted.\n", i)})
	}
	said := []Passage{{Text: "In the morning the crane at the north quay, for sacks from barges, lifts 40 tonnes."}}
	for max, want := range map[int]string{10: "crane.md:0 crane.md:2 quay.md:0 ", 2: "crane.md:0 crane.md:2 "} {
		got := ""
		for _, p := range New(docs).Beside(said, nil, max) {
			got += p.Where() + " "
		}
		if got != want {
			t.Errorf("the nearest %d are %s", max, got)
		}
	}
}

// Words that many memories hold are more than chance where they are a large share of what two passages say.
func TestBesideShare(t *testing.T) {
	docs := []Document{{File: "fog.md", Body: "In fog ferry, barge and crane idle, says Ines.\n"}, {File: "storm.md", Body: "Ferry, barge and crane go on.\n"}}
	for i := range 12 {
		for _, word := range []string{"Ferry", "Barge", "Crane", "Buoy", "Lamp", "Rope", "Shed", "Tide"} {
			docs = append(docs, Document{File: fmt.Sprintf("%s_%d.md", word, i), Body: fmt.Sprintf("%s %d was painted in May by those who came with it.\n", word, i)})
		}
	}
	pairs := New(docs).Beside([]Passage{{Text: docs[0].Body}}, func(file string) bool { return file == "fog.md" }, 10)
	if len(pairs) != 1 || pairs[0].File != "storm.md" {
		t.Errorf("got %+v", pairs)
	}
}

// A short text that says nothing but what a memory is about touches it, though its words are not rare.
func TestBesideShort(t *testing.T) {
	docs := []Document{{File: "data_retention.md", Body: "Field data is kept for 180 days, then deleted.\n"}, {File: "retention_400.md", Body: "Retention of field data: 400 days now.\n"}}
	for i := range 40 {
		docs = append(docs, Document{File: fmt.Sprintf("other_%d.md", i), Body: fmt.Sprintf("Harbour %d is %d days from here.\n", i, i%5)})
	}
	x := New(docs)
	for said, want := range map[string]bool{"Retention of field data: 400 days now.": true, "The retention of the crane's brake lasts 400 days in winter, harbour 7 says.": false} {
		pairs := x.Beside([]Passage{{Text: said}}, func(file string) bool { return file == "retention_400.md" }, 10)
		if got := len(pairs) > 0 && pairs[0].File == "data_retention.md"; got != want {
			t.Errorf("%q: got %+v", said, pairs)
		}
	}
}

// Memories on one thing are on one page, wherever the alphabet has them.
func TestOrder(t *testing.T) {
	x := New([]Document{
		{File: "a.md", Body: "Postgres runs on port 5433.\n"}, {File: "b.md", Body: "Bread is baked at four.\n"}, {File: "c.md", Body: "Cranes are yellow.\n"},
		{File: "x.md", Body: "Yellow paint of cranes.\n"}, {File: "y.md", Body: "Bread needs flour.\n"}, {File: "z.md", Body: "Port 5433 is that of Postgres.\n"},
	})
	order := x.Order(2, func(string) int { return 1 })
	at := func(file string) int { return slices.Index(order, file) / 2 }
	if len(order) != 6 || at("a.md") != at("z.md") || at("b.md") != at("y.md") || at("c.md") != at("x.md") {
		t.Errorf("got %v", order)
	}
}

// Paths and names of code are not parted in what somebody said: two files of a folder are not the same thing.
func TestAboutPaths(t *testing.T) {
	docs := []Document{{File: "radio.md", Body: "Ines reviews what changes in lib/src/radio, and `slot_table` most of all.\n"}}
	for i := range 30 {
		docs = append(docs, Document{File: fmt.Sprintf("other_%d.md", i), Body: fmt.Sprintf("Quay %d is painted.\n", i)})
	}
	x := New(docs)
	for said, want := range map[string]bool{
		"rename slot_count in lib/src/modem.c and lib/src/radio/send.c": false,
		"Ines is away, nobody reviews the radio now":                    true,
		"slot_table in lib/src/radio is wrong":                          true,
	} {
		if got := len(x.About(said, nil)) > 0; got != want {
			t.Errorf("%q is about the memory: %v", said, got)
		}
	}
}
