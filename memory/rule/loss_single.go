package rule

import (
	"dream-mcp/memory"
	"fmt"
)

// TakenAway says of each memory that the change takes away, and that a write outside a dream may not, why. Before is the memory
// as it was before the writes that are counted together.
//
// A user or feedback memory is taken away when it is deleted, gets another type, or loses its text. Of the others, a quarter may be
// deleted or lose their text. What other memories still say (keptIn) is not taken away: a merge or a new name is no loss.
func (c Check) TakenAway() map[memory.Name]string {
	v := c.view().exact
	taken := make(map[memory.Name]string)
	var lost []memory.Name
	total := 0
	for n, was := range v.before.Topics {
		if isFolderIndex(n) {
			continue
		}
		total++
		is := v.after.Topics[n]
		kind := protectedType(n, was)
		var why string
		switch {
		case kind == "":
			if (is == nil || gutted(was, is)) && !v.keptElsewhere(n, "") {
				lost = append(lost, n)
			}
			continue
		case is == nil:
			why = fmt.Sprintf("a memory of type %s would be deleted, and no other says all that it says", kind)
		case protectedType(n, is) == "":
			why = fmt.Sprintf("a memory of type %s would be of type %q", kind, is.Type())
		case gutted(was, is):
			why = fmt.Sprintf("the text of a memory of type %s would lose more than half, or most of its words", kind)
		default:
			continue
		}
		if !v.keptElsewhere(n, kind) {
			taken[n] = why
		}
	}
	if total >= lossMinTopics && 4*len(lost) > total {
		for _, n := range lost {
			taken[n] = fmt.Sprintf("%d of %d memories would be deleted or emptied within an hour, more than a quarter", len(lost), total)
		}
	}
	return taken
}

// gutted reports whether a text loses what it said. A short text may say something else in as many words: that corrects it.
func gutted(was, is *memory.Topic) bool {
	if bodySize(was) >= lossMinBody {
		return shrinks(was.Body(), is.Body())
	}
	return 2*bodySize(is) < bodySize(was) && emptied(was.Body(), is.Body())
}
