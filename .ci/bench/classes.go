package main

import (
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/search"
	"strings"
)

// A class is one kind of query, as each of the programs is asked it.
type class struct {
	name  string
	text  string   // for us
	raw   string   // for grep and ripgrep, where the transcript spells it otherwise
	grep  []string // flags
	rg    []string
	regex bool
	exact bool // in this case alone
}

var (
	literal = []string{"-F"}
	perl    = []string{"-P"}
)

func classes() []class {
	word := func(name, text string) class {
		return class{name: name, text: text, grep: literal, rg: literal, exact: true}
	}
	anyCase := func(name, text string) class {
		return class{name: "-i, " + name, text: text, grep: []string{"-iF"}, rg: []string{"-iF"}}
	}
	expression := func(name, text string) class {
		return class{name: name, text: text, grep: perl, regex: true, exact: true}
	}
	return []class{
		word("absent", "zephyrquartzite"),
		word("rare", rareWord),
		word("medium", mediumWord),
		word("frequent", "error"),
		anyCase("medium", strings.ToLower(mediumWord)),
		word("CJK", "データベース移行"),
		{name: "quotes", text: `the "flux capacitor" said`, raw: `the \"flux capacitor\" said`, grep: literal, rg: literal, exact: true},
		expression("regex, literal", `ticket-\d+-resolved`),
		expression("regex, alternation", `\b(?:timeout|deadline|refused)\b`),
		expression("regex, no literal, words", `\w{18,}\s+\w{18,}`),
		expression("regex, no literal, upper", `[A-Z]{3,}_[A-Z]{3,}_[A-Z]{3,}`),
	}
}

// question is what is asked in words.
const question = "how do we deploy the archive to staging"

// The ways in which we search, by the columns of the table.
var (
	spoken = []said.Speaker{said.User, said.Assistant}
	tools  = []said.Speaker{said.Tool}
)

type way struct {
	name     string
	speakers []said.Speaker
	first    bool // nothing was read before
}

var (
	later   = way{name: "later", speakers: spoken}
	byTools = way{name: "tools", speakers: tools}
)

var ways = []way{{name: "first", speakers: spoken, first: true}, later, byTools}

func (c class) query(w way) search.Query {
	q := search.Query{Pattern: c.text, Regex: c.regex, Speakers: w.speakers, Fold: true}
	if c.exact {
		q.CaseSensitive = new(bool)
		*q.CaseSensitive = true
	}
	return q
}
