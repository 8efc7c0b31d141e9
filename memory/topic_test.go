package memory

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
)

var stampTime = time.Date(2026, 11, 18, 9, 14, 3, 250e6, time.FixedZone("", 3600))

const stampText = "2026-11-18T08:14:03.250Z"

func TestFieldReadsEveryGeneration(t *testing.T) {
	tests := []struct {
		name, text               string
		title, description, kind string
		body                     string
		bodyLine                 int
	}{
		{"flat", "---\nname: Short answers\ndescription: keep it short\ntype: feedback\n---\nbody\n", "Short answers", "keep it short", "feedback", "body\n", 6},
		{"with session", "---\nname: a\ndescription: b\ntype: user\noriginSessionId: 0000-1\n---\n\nbody", "a", "b", "user", "\nbody", 7},
		{"metadata", "---\nname: a\ndescription: \"b: c\"\nmetadata: \n  node_type: memory\n  type: project\n  originSessionId: 0000-1\n---\nbody\n",
			"a", "b: c", "project", "body\n", 9},
		{"other order", "---\nmetadata:\n    originSessionId: x\n    type: reference\ndescription: 'it''s'\nname: a\n---\n", "a", "it's", "reference", "", 8},
		{"modified", "---\nname: a\ndescription: b\nmetadata: \n  type: project\n  modified: 2026-01-02T03:04:05.678Z\n---\n", "a", "b", "project", "", 8},
		{"foreign", "---\nname: a\ndescription: b\ntype: semantic\ntags: [x, y]\nsalience: 0.8\n---\n", "a", "b", "semantic", "", 8},
		{"metadata wins", "---\nname: a\ntype: user\nmetadata:\n  type: feedback\n---\n", "a", "", "feedback", "", 7},
		{"flow metadata", "---\nname: a\nmetadata: {node_type: memory, type: \"user\"}\n---\n", "a", "", "user", "", 5},
		{"not YAML: colon", "---\nname: a\ndescription: note (2026-04-09): ROWNUM first\n---\n", "a", "note (2026-04-09): ROWNUM first", "", "", 5},
		{"not YAML: after the quote", "---\nname: \"pass\" in a word = ok\n---\n", "\"pass\" in a word = ok", "", "", "", 4},
		{"number sign", "---\nname: a\ndescription: fix #12 first\ntype: project # for now\n---\n", "a", "fix #12 first", "project", "", 6},
		{"quoted, then a comment", "---\nname: \"a \\\"b\\\"\" # note\n---\n", "a \"b\"", "", "", "", 4},
		{"CRLF and BOM", "\ufeff---\r\nname: a\r\nmetadata:\r\n  type: user\r\n---\r\nbody\r\n", "a", "", "user", "body\r\n", 6},
		{"deeper type is not ours", "---\nname: a\nmetadata:\n  origin:\n    type: user\n---\n", "a", "", "", "", 7},
		{"block scalar", "---\nname: a\ndescription: >-\n  one\n\n  two: x\ntype: user\n---\n", "a", "one two: x", "user", "", 9},
		{"folded", "---\nname: a\ndescription: one\n  two\ntype: user\n---\n", "a", "one two", "user", "", 7},
		{"comment between", "---\n# c\nmetadata:\n# c\n\n  type: user\nname: a\n---\n", "a", "", "user", "", 9},
		{"none", "# Title\nbody", "", "", "", "# Title\nbody", 1},
		{"unclosed", "---\nname: a\n", "", "", "", "---\nname: a\n", 1},
		{"only a fence", "---", "", "", "", "---", 1},
		{"empty", "", "", "", "", "", 1},
		{"invalid UTF-8", "---\nname: \xff\xfe\n---\n\xff", "\xff\xfe", "", "", "\xff", 4},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			topic := ParseTopic([]byte(test.text))
			if got := string(topic.Bytes()); got != test.text {
				t.Errorf("Bytes() = %q, want %q", got, test.text)
			}
			body, line := topic.Body(), topic.BodyLine()
			if topic.Title() != test.title || topic.Description() != test.description || topic.Type() != test.kind ||
				string(body) != test.body || line != test.bodyLine {
				t.Errorf("got %q, %q, %q, %q at %d, want %q, %q, %q, %q at %d", topic.Title(), topic.Description(), topic.Type(), body, line,
					test.title, test.description, test.kind, test.body, test.bodyLine)
			}
		})
	}
	_, line, _ := ParseTopic([]byte("---\nname: a\nmetadata:\n  type: user\n---\n")).Field("metadata.type")
	if line != 4 {
		t.Errorf("metadata.type is in line %d, want 4", line)
	}
}

func TestStamp(t *testing.T) {
	tests := []struct {
		name, text string
		sources    []string
		want       string
	}{
		{"flat", "---\nname: a\n---\nx", nil, "---\nname: a\nmodified: " + stampText + "\n---\nx"},
		{"metadata", "---\nmetadata: \n  type: user\nname: a\n---\n", []string{"s:1"},
			"---\nmetadata: \n  type: user\n  modified: " + stampText + "\n  sources: [s:1]\nname: a\n---\n"},
		{"indent is kept", "---\nmetadata:\n    type: user\n---\n", nil, "---\nmetadata:\n    type: user\n    modified: " + stampText + "\n---\n"},
		{"empty metadata", "---\nmetadata:\n---\n", nil, "---\nmetadata:\n  modified: " + stampText + "\n---\n"},
		{"flow metadata", "---\nmetadata: {type: user}  \n---\n", nil, "---\nmetadata: {type: user, modified: " + stampText + "}  \n---\n"},
		{"flow metadata that has one", "---\nmetadata: {modified: x, type: user}\n---\n", nil, "---\nmetadata: {modified: " + stampText + ", type: user}\n---\n"},
		{"braces that don't close", "---\nmetadata: {a, [b}\n---\n", nil, "---\nmetadata: {a, [b}\nmodified: " + stampText + "\n---\n"},
		{"metadata that is a text", "---\nmetadata: none\n---\n", nil, "---\nmetadata: none\nmodified: " + stampText + "\n---\n"},
		{"in place, in its quotes", "---\nmetadata:\n  modified: '2020-01-01' # c  \n  type: user\n---\n", nil,
			"---\nmetadata:\n  modified: '" + stampText + "' # c  \n  type: user\n---\n"},
		{"comment stays", "---\nmodified: 2020-01-01  # c \n---\n", nil, "---\nmodified: " + stampText + "  # c \n---\n"},
		{"no value yet", "---\nmodified:  \nname: a\n---\n", nil, "---\nmodified: " + stampText + "  \nname: a\n---\n"},
		{"where it is", "---\nmodified: x\nmetadata:\n  type: user\n---\n", nil, "---\nmodified: " + stampText + "\nmetadata:\n  type: user\n---\n"},
		{"CRLF", "---\r\nname: a\r\n---\r\nx\n", []string{"s:1"}, "---\r\nname: a\r\nmodified: " + stampText + "\r\nsources: [s:1]\r\n---\r\nx\n"},
		{"merged, cited again last", "---\nsources: [a:1, \"b: 2\"]\nname: x\n---\n", []string{"c:3", "a:1"},
			"---\nsources: [\"b: 2\", c:3, a:1]\nname: x\nmodified: " + stampText + "\n---\n"},
		{"crooked indents", "---\nmetadata:\n   a: b\n type: user\n---\n", nil, "---\nmetadata:\n   a: b\n type: user\n modified: " + stampText + "\n---\n"},
		{"list and comment", "---\nsources: [a:1] # [c]\n---\n", []string{"b:2"}, "---\nsources: [a:1, b:2] # [c]\nmodified: " + stampText + "\n---\n"},
		{"from a block", "---\nsources:\n- a:1\n- \"b:2\"\nname: x\n---\n", []string{"c:3"},
			"---\nsources: [a:1, b:2, c:3]\nname: x\nmodified: " + stampText + "\n---\n"},
		{"at most ten", "---\nsources: [s:1, s:2, s:3, s:4, s:5, s:6, s:7, s:8, s:9]\n---\n", []string{"s:10", "s:11", "s:11"},
			"---\nsources: [s:2, s:3, s:4, s:5, s:6, s:7, s:8, s:9, s:10, s:11]\nmodified: " + stampText + "\n---\n"},
		{"quoted where needed", "---\nname: a\n---\n", []string{"a #1", "b: 2", "c,d", "e\nf"},
			"---\nname: a\nmodified: " + stampText + "\nsources: [\"a #1\", \"b: 2\", \"c,d\", \"e\\nf\"]\n---\n"},
		{"no frontmatter", "# x\n", []string{"s:1"}, "# x\n"},
		{"unclosed", "---\nname: x\n", []string{"s:1"}, "---\nname: x\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			topic := ParseTopic([]byte(test.text))
			topic.Stamp(stampTime, test.sources)
			if got := string(topic.Bytes()); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
			topic.Stamp(stampTime, test.sources)
			if got := string(topic.Bytes()); got != test.want {
				t.Errorf("a second stamp changes it: %q", got)
			}
		})
	}
}

func TestApplyEdits(t *testing.T) {
	tests := []struct {
		name, text string
		edits      []Edit
		want, err  string
	}{
		{"in order", "a b", []Edit{{"a", "c"}, {"c b", "d"}}, "d", ""},
		{"delete", "a b", []Edit{{" b", ""}}, "a", ""},
		{"CRLF", "x\r\na\r\nb\r\n", []Edit{{"a\nb", "c\nd\ne"}}, "x\r\nc\r\nd\r\ne\r\n", ""},
		{"CRLF, one line", "a\r\nb\r\n", []Edit{{"b", "c\nd"}}, "a\r\nc\r\nd\r\n", ""},
		{"begins with the line end", "a\r\nb", []Edit{{"\nb", "\nc"}}, "a\r\nc", ""},
		{"mixed: as around", "a\r\nb\nc\n", []Edit{{"c", "d\ne"}}, "a\r\nb\nd\ne\n", ""},
		{"CR in old is meant", "a\r\nb\r\n", []Edit{{"a\r\nb", "a\nb"}}, "a\nb\r\n", ""},
		{"hidden characters, as shown", "a\u202e\u202e b\u2028c", []Edit{{"a⟨U+202E×2⟩", "a"}, {"b⟨U+2028⟩c", "b, c"}}, "a b, c", ""},
		{"hidden characters, as they are", "a\u202e b", []Edit{{"\u202e b", " b"}}, "a b", ""},
		{"a part of a mark", "a\u202eb", []Edit{{"⟨U", ""}}, "ab", ""},
		{"beside hidden characters", "\x00a b\x00", []Edit{{"a b", "c"}}, "\x00c\x00", ""},
		{"absent", "a", []Edit{{"a", "b"}, {"a", "c"}}, "", "edit 2 of 2: the old text \"a\" occurs 0 times"},
		{"twice", "a a", []Edit{{"a", "b"}}, "", "edit 1 of 1: the old text \"a\" occurs 2 times"},
		{"overlapping", "aaaa", []Edit{{"aa", "b"}}, "", "occurs 3 times"},
		{"empty", "a", []Edit{{"", "b"}}, "", "edit 1 of 1: the old text is empty"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := ApplyEdits([]byte(test.text), test.edits, nil)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) || got != nil {
					t.Fatalf("got %q, %v, want the error %q", got, err, test.err)
				}
				return
			}
			if err != nil || string(got) != test.want {
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}
		})
	}
}

// FuzzTopic holds the laws: what is parsed prints back; a stamp is found again, and no line but the
// stamped ones changes.
func FuzzTopic(f *testing.F) {
	for _, seed := range []string{
		"", "---", "---\n---", "---\nname: a\n---\nbody", "\ufeff---\r\nname: a\r\nmetadata: \r\n  type: user\r\n---\r\nx",
		"---\nmetadata: {a: b, c: [d, e]}\nmodified: 'x'\n---\n", "---\nsources:\n- a\n- b\nmetadata:\n\ttype: user\n---\n",
		"---\nmetadata: |\n  modified: x\n---\n", "---\n\"metadata\": \n  modified:\n   - a\n---\n", "---\nname: \"a\" b\nsources: [a, \"b, c\"]\n---\n\xff",
	} {
		f.Add([]byte(seed), "session:12")
	}
	f.Fuzz(func(t *testing.T, data []byte, source string) {
		topic := ParseTopic(data)
		if !bytes.Equal(topic.Bytes(), data) {
			t.Fatalf("%q is printed as %q", data, topic.Bytes())
		}
		quoted := ParseTopic(data)
		quoted.Quote()
		for _, key := range []string{"name", "description"} {
			if was, is := topic.value(key), ParseTopic(quoted.Bytes()).value(key); is != was {
				t.Fatalf("%q: %s is %q, was %q", data, key, is, was)
			}
		}
		topic.Stamp(stampTime, []string{source})
		stamped := topic.Bytes()
		again := ParseTopic(stamped)
		if !topic.HasFrontmatter() {
			if !bytes.Equal(stamped, data) {
				t.Fatalf("a file without frontmatter is changed: %q to %q", data, stamped)
			}
			return
		}
		nested, _, _ := again.Field("metadata.modified")
		top, _, _ := again.Field("modified")
		if !strings.Contains(nested+top, stampText) {
			t.Fatalf("%q: no modified in %q", data, stamped)
		}
		if source = strings.ToValidUTF8(strings.TrimSpace(source), "\ufffd"); source != "" {
			if got := again.Sources(); len(got) == 0 || got[len(got)-1] != source {
				t.Fatalf("%q: the sources of %q are %q, without %q", data, stamped, got, source)
			}
		}
		for _, f := range ParseTopic(data).fields { // unknown keys among them
			if is := again.find(f.key); f.kind != mapping && f.kind != flow && !strings.Contains(f.key, "modified") &&
				!strings.Contains(f.key, "sources") && is == nil {
				t.Fatalf("%q: the key %q is lost in %q", data, f.key, stamped)
			}
		}
		if again.Body() != topic.body {
			t.Fatalf("%q: the body changed: %q", data, stamped)
		}
		// Every line that is left was there before, in this order, but for those with a stamp.
		lines, i := slices.Collect(strings.Lines(string(data))), 0
		for line := range strings.Lines(string(stamped)) {
			if strings.Contains(line, "modified") || strings.Contains(line, "sources") {
				continue
			}
			for i < len(lines) && lines[i] != line {
				i++
			}
			if i == len(lines) {
				t.Fatalf("%q: the line %q of %q is new", data, line, stamped)
			}
			i++
		}
	})
}

// What YAML cannot read is quoted, what it reads as something else is not; either way the value stays.
func TestQuote(t *testing.T) {
	for line, want := range map[string]string{
		`description: deploys: by hand`:          `description: "deploys: by hand"`,
		`description: see C:\new: "x"`:           `description: "see C:\\new: \"x\""`,
		`description: by hand:`:                  `description: "by hand:"`,
		"description: @mira deploys":             `description: "@mira deploys"`,
		`description: by hand`:                   "",
		`description: "deploys: by hand"`:        "",
		`description: deploys: by hand # a note`: "",
		`description: [a: b]`:                    "",
		`note: deploys: by hand`:                 "",
	} {
		head, tail := "---\nname: a\n", "\n---\nx: y: z\n"
		topic := ParseTopic([]byte(head + line + tail))
		was, _, _ := topic.Field("description")
		topic.Quote()
		if want == "" {
			want = line
		}
		if got := string(topic.Bytes()); got != head+want+tail {
			t.Errorf("%s: got %q", line, got)
		}
		if is, _, _ := ParseTopic(topic.Bytes()).Field("description"); is != was {
			t.Errorf("%s: the value is %q, was %q", line, is, was)
		}
	}
}

// A merged memory may name its sessions in metadata, at the top level as older forms do, or in both.
func TestCarryOriginsOfBothForms(t *testing.T) {
	topic := ParseTopic([]byte("---\nname: a\n---\ntext\n"))
	topic.Carry([]*Topic{ParseTopic([]byte("---\noriginSessionIds: [s3]\nmetadata:\n  originSessionId: s1\n  originSessionIds: [s2]\n---\n"))})
	if got, want := string(topic.Bytes()), "originSessionId: s1\noriginSessionIds: [s2, s3]\n"; !strings.Contains(got, want) {
		t.Errorf("the topic is %q, want %q in it", got, want)
	}
}
