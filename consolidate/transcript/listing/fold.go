package listing

import (
	"hash/maphash"
	"time"

	"dream-mcp/consolidate/transcript/cache"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory/rule/reldate"
)

var seed = maphash.MakeSeed()

// wordsOf returns a sum that two utterances of users share if they say the same, word for word and in the same manner.
// A reply says the same only after the same sentence, and "next Friday" only on the same day.
func wordsOf(u *cache.Said, before string, zone *time.Location) uint64 {
	of := string(u.Speaker) + string(rune(u.Manner)) + u.Text
	if isReply(u) {
		of += "\x00" + lastSentence(before)
	}
	if at := u.Time.In(zone); reldate.Annotated(u.Text, at) != u.Text {
		of += "\x00" + at.Format(time.DateOnly)
	}
	return maphash.String(seed, of)
}

// fold folds what is said again later in the same words. The last is shown, so that the word that holds is read last.
// In the list of one session, or with what the model said, nothing folds: what is before and after each utterance
// matters there.
func (l *List) fold(segments []segment) {
	if q := &l.query; q.Session != "" || len(q.Speakers) != 1 || q.Speakers[0] != said.User {
		return
	}
	last := map[uint64]*kept{}
	for i := len(segments) - 1; i >= 0; i-- {
		g := &segments[i]
		for at := g.to - 1; at >= g.from; at-- {
			k := &l.sessions[g.session].kept[at]
			if later := last[k.words]; later != nil {
				k.folded = true
				later.more++
				g.folded++
			} else {
				last[k.words] = k
			}
		}
	}
}
