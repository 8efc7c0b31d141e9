package rule

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dream-mcp/memory"
)

// Asker is who asks for a change of the memory.
type Asker int

const (
	Attended   Asker = iota // a dream that a person watches
	Unattended              // a dream that nobody watches
	Single                  // a write outside a dream; what the writes of an hour take counts together
)

// Verdict says what a change that takes something away needs.
type Verdict int

const (
	Free    Verdict = iota // nothing
	Counted                // free up to a limit per change (countedShare, unattendedShare)
	Reason                 // a reason: why of a deletion, or accept_loss
	Person                 // the person's yes: it is kept for them
	Refused                // it is not possible
)

// taken is what a change takes away.
type taken string

const (
	deletion   taken = "deleted"
	newType    taken = "of another type"
	cut        taken = "cut"
	shortened  taken = "a short text, cut or said in other words"
	tooMany    taken = "too many that are counted"
	inAll      taken = "changed or deleted, and in all projects of the person"
	teams      taken = "deleted, and the team's; the code does not contradict it"
	lastRecord taken = "a line of MEMORY.md whose file is missing"
)

// row is a row of the law. Own memories are of type user or feedback.
type row struct {
	taken taken
	own   bool
}

// Ruling is what a change that takes a memory away needs, and why.
type Ruling struct {
	Verdict Verdict
	Why     string
}

// law holds who may take what away. What other memories still say is not taken away, except from a memory in all
// projects: a merge or a new name loses nothing.
var law = map[row]struct {
	attended, unattended, single Verdict
	why                          string // TYPE is that of the memory
}{
	{deletion, true}:    {Reason, Person, Person, "a memory of type TYPE would be deleted, and no other says all that it says"},
	{newType, true}:     {Free, Person, Person, "a memory of type TYPE would be of another type"},
	{cut, true}:         {Reason, Person, Person, "the text of a memory of type TYPE would lose more than half, or most of its words"},
	{shortened, true}:   {Free, Person, Free, "the text of a memory of type TYPE would lose more than half, or most of its words"},
	{deletion, false}:   {Counted, Counted, Counted, ""},
	{cut, false}:        {Reason, Counted, Counted, "the text would lose more than half, or most of its words"},
	{shortened, false}:  {Free, Counted, Free, ""},
	{tooMany, false}:    {Reason, Person, Person, "%d of %d memories would be deleted or emptied (outside a dream: in an hour), at most %d may be; this is one"},
	{inAll, false}:      {Free, Person, Free, "a memory of the person in all their projects would be changed"},
	{teams, false}:      {Person, Person, Person, "the team's memory would be deleted, and nothing in the code contradicts it"},
	{lastRecord, false}: {Reason, Refused, Free, "the only record of a missing file, its line of MEMORY.md, would go or change"},
}

// loss reads the law.
func (v *view) loss(t taken, kind string) Ruling {
	cells := law[row{t, kind != ""}]
	return Ruling{[]Verdict{cells.attended, cells.unattended, cells.single}[v.Who], strings.Replace(cells.why, "TYPE", kind, 1)}
}

// How many may be taken away of those that are counted.
const (
	countedFrom     = 4  // while somebody watches, all where there are fewer,
	countedShare    = 4  // and else one in so many
	unattendedShare = 10 // while nobody watches one in so many of the others, at least one
)

// Losses returns what the change takes away of some memories, or else of all, but for what is free.
func (c Check) Losses(of ...memory.Name) map[memory.Name]Ruling { return c.exact().losses(of...) }

func (v *view) losses(of ...memory.Name) map[memory.Name]Ruling {
	lost := make(map[memory.Name]Ruling)
	if v.Before == nil {
		return lost
	}
	if loss := v.loss(lastRecord, ""); loss.Verdict != Free {
		for n := range v.lostLines() {
			lost[n] = loss
		}
	}
	var counted []memory.Name
	all, others := 0, 0
	for _, n := range memory.SortedNames(v.Before.Topics) {
		was, is := v.Before.Topics[n], v.After.Topics[n]
		if is != nil && isFolderIndex(n) {
			continue
		}
		kind := protectedType(n, was)
		if all++; kind == "" {
			others++
		}
		if is != nil && was.Equal(is) {
			continue
		}
		switch loss := v.loss(v.taken(n), kind); {
		case was.IsPersons() && v.loss(inAll, "").Verdict != Free:
			lost[n] = v.loss(inAll, "")
		case loss.Verdict == Counted:
			counted = append(counted, n)
		case loss.Verdict != Free && (of == nil || slices.Contains(of, n)) && !v.keptElsewhere(n):
			lost[n] = loss
		}
	}
	most := all / countedShare
	switch {
	case v.Who == Unattended:
		all, most = others, max(1, others/unattendedShare)
	case all < countedFrom:
		most = all
	}
	if len(counted) > most {
		counted = slices.DeleteFunc(counted, v.keptElsewhere)
	}
	many := v.loss(tooMany, "")
	many.Why = fmt.Sprintf(many.Why, len(counted), all, most)
	for _, n := range counted {
		if len(counted) > most {
			lost[n] = many
		}
	}
	return lost
}

// findLoss reports what may not land without a reason, and what may not at all.
func findLoss(v *view) (findings []Finding) {
	losses := v.losses()
	var asked []string // what accepts all of them
	for _, n := range memory.SortedNames(losses) {
		loss := losses[n]
		f := Finding{File: n.String(), Message: loss.Why, Hint: withoutReason[loss.Verdict]}
		if f.Hint != "" {
			f.Message += ": an unattended dream may not"
		} else if _, accepted := v.Accepted[n]; accepted {
			continue
		} else {
			asked = append(asked, fmt.Sprintf("{\"file\": %q, \"why\": \"…\"}", f.File))
		}
		findings = append(findings, f)
	}
	if len(asked) > maxAskedLosses {
		asked = append(asked[:maxAskedLosses], "…")
	}
	for i := range findings {
		findings[i].Hint = cmp.Or(findings[i].Hint, "keep what still holds, or say why it is meant to go → finalize_index {\"accept_loss\": ["+strings.Join(asked, ", ")+"]}")
	}
	return findings
}

// maxAskedLosses bounds the files of one hint.
const maxAskedLosses = 20

// withoutReason says what to do where no reason helps.
var withoutReason = map[Verdict]string{
	Refused: "leave the line as it is; accept_loss does not help",
	Person: "keep the memory, or merge it so that another says every fact of it first; " +
		"what write_memory refuses so is kept as a proposal for the person, and accept_loss does not help",
}
