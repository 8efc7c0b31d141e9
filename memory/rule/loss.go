package rule

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dream-mcp/memory"
)

// What a dream may take away without being asked: a quarter of the topics, where there
// are enough to speak of a quarter, and half of a body, where there is enough to lose.
const (
	lossMinTopics = 4
	lossMinBody   = 200
)

func findLoss(v *view) []Finding { return askOnce(append(v.losses(), v.lostLines()...)) }

// lostLines returns the lines of the index whose file was missing and that would no longer say what they said. Such a line is the
// only record of it.
func (v *view) lostLines() (findings []Finding) {
	if v.Before == nil || v.Before.Index == nil {
		return nil
	}
	was := &view{Check: Check{After: v.Before}, inProject: v.inProject}
	kept := func(e memory.Entry) bool {
		return v.leads(memory.IndexName, ref{target: e.File}) || v.After.Index != nil &&
			slices.ContainsFunc(v.After.Index.Entries(), func(o memory.Entry) bool { return o.Title == e.Title && o.Hook == e.Hook })
	}
	for _, e := range was.dangling() {
		n, err := memory.ParseName(e.File)
		if err != nil { // a loss is accepted by a name
			n = memory.IndexName
		}
		f := Finding{File: n.String(), Message: "the only record of a missing file, its line of MEMORY.md, would go or change"}
		_, accepted := v.Accepted[n]
		switch {
		case kept(e):
			continue
		case v.Unattended:
			f = forbiddenFinding(n, f.Message)
			f.Hint = "leave the line as it is; accept_loss does not help"
		case accepted:
			continue
		}
		findings = append(findings, f)
	}
	return findings
}

// losses returns what may not land without being accepted, and what may not at all, with a hint.
func (v *view) losses() (findings []Finding) {
	if v.Before == nil {
		return nil
	}
	forbidden := v.forbidden()
	deleted, total := v.deleted()
	for _, n := range sortedNames(v.Before.Topics) {
		before, after := v.Before.Topics[n], v.After.Topics[n]
		gone, kind, message := slices.Contains(deleted, n), protectedType(n, before), ""
		why, never := forbidden[n]
		_, accepted := v.Accepted[n]
		switch {
		case never:
			findings = append(findings, forbiddenFinding(n, why))
		case accepted:
		case gone && kind != "":
			message = fmt.Sprintf("a memory of type %s would be deleted (%d of %d memories in all)", kind, len(deleted), total)
		case gone && total >= lossMinTopics && 4*len(deleted) > total:
			message = fmt.Sprintf("%d of %d memories would be deleted, more than a quarter; this is one", len(deleted), total)
		case after != nil && !isFolderIndex(n) && bodySize(before) >= lossMinBody && 2*bodySize(after) < bodySize(before):
			message = fmt.Sprintf("the text would shrink from %d to %d bytes, by more than half", bodySize(before), bodySize(after))
		}
		if message != "" {
			findings = append(findings, Finding{File: n.String(), Message: message})
		}
	}
	return findings
}

// Loss returns why the deletion of n will not land as it is, as warnings.
func (c Check) Loss(n memory.Name) []Finding {
	losses := slices.DeleteFunc(c.view().exact.losses(), func(f Finding) bool { return f.File != n.String() })
	for i := range losses {
		losses[i].Rule, losses[i].Severity = "loss", Warning
		losses[i].Hint = fmt.Sprintf("finalize_index will ask why: {\"accept_loss\": [{\"file\": %q, \"why\": \"…\"}]}; a delete can say so itself, by \"why\"", n)
	}
	return losses
}

// maxAskedLosses bounds the files of one hint.
const maxAskedLosses = 20

// askOnce gives losses that can be accepted the one call that accepts all of them.
func askOnce(losses []Finding) []Finding {
	var files []string
	for _, f := range losses {
		if f.Hint == "" {
			files = append(files, fmt.Sprintf("{\"file\": %q, \"why\": \"…\"}", f.File))
		}
	}
	if len(files) > maxAskedLosses {
		files = append(files[:maxAskedLosses], "…")
	}
	for i := range losses {
		losses[i].Hint = cmp.Or(losses[i].Hint, "keep what still holds, or say why it is meant to go → finalize_index {\"accept_loss\": ["+strings.Join(files, ", ")+"]}")
	}
	return losses
}

// deleted returns the topics that are gone, and how many there were. A topic whose text is under
// a new name has moved.
func (v *view) deleted() (gone []memory.Name, total int) {
	moved := make(map[string]int) // texts of new topics, spaces aside
	for n, t := range v.After.Topics {
		if v.Before.Topics[n] == nil && !isFolderIndex(n) {
			moved[memory.OneLine(t.Body())]++
		}
	}
	for _, n := range sortedNames(v.Before.Topics) {
		if isFolderIndex(n) {
			continue
		}
		total++
		if v.After.Topics[n] != nil {
			continue
		}
		if text := memory.OneLine(v.Before.Topics[n].Body()); text != "" && moved[text] > 0 {
			moved[text]--
			continue
		}
		gone = append(gone, n)
	}
	return gone, total
}

func bodySize(t *memory.Topic) int { return len(bytes.TrimSpace([]byte(t.Body()))) }
