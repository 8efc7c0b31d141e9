package tools

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/search"
	"dream-mcp/memory/phrase"
	"dream-mcp/memory/related"
)

// defaultTurns is how many turns context_of looks at on each side, unless limit says otherwise.
const defaultTurns = 4

func grepTranscripts(ctx context.Context, p *consolidate.Project, r grepArguments) (answer, error) {
	if r.selectors() > 1 {
		return answer{}, ops.Refuse("at most one of pattern, patterns, query and context_of",
			`for example {"pattern": "staging", "since": "last_dream"}; without any it lists what the user said`)
	}
	if r.Memories && r.Pattern == "" && len(r.Patterns) == 0 {
		return answer{}, ops.Refuse("memories are searched for pattern or patterns",
			`for example {"patterns": ["staging", "port 4417"], "memories": true}; read_memory shows them whole`)
	}
	if r.selectors() == 0 {
		return r.list(ctx, p)
	}
	if len(r.ContextOf) > 0 {
		turns, err := p.Sessions.ContextOf(ctx, r.ContextOf, cmp.Or(r.Limit, defaultTurns))
		if err != nil && (len(turns) == 0 || ctx.Err() != nil) {
			return answer{}, err
		}
		return answer{text: renderTurns(p, turns, err)}, nil
	}
	if r.Query != "" {
		q, err := r.query(p.Store.Now())
		if err != nil {
			return answer{}, err
		}
		hits, res, err := p.Sessions.Ranked(ctx, r.Query, q, r.Since)
		return answer{text: renderRanked(p, hits, res, r, answerBytes(r))}, err
	}
	text, found, err := r.search(ctx, p)
	if err == nil && !found && !r.Regex && strings.Contains(r.Pattern, "|") {
		r.Regex = true
		if asExpression, found, err := r.search(ctx, p); err == nil && found {
			return answer{text: "Nothing has this text as it is; with \"regex\": true:\n" + asExpression}, nil
		}
	}
	return answer{text: text}, err
}

// search lists the hits of one or several patterns, and the passages of memories. It reports whether there were any.
func (r grepArguments) search(ctx context.Context, p *consolidate.Project) (text string, found bool, err error) {
	q, err := r.query(p.Store.Now())
	if err != nil {
		return "", false, err
	}
	var mentions consolidate.Mentions
	if r.Cursor == "" || r.Memories {
		if mentions, err = p.Sessions.Mentions(ctx, q, r.Memories); err != nil {
			return "", false, err
		}
	}
	found = mentions.Memories > 0
	if r.Memories {
		return r.renderMentions(mentions), found, nil
	}
	res, err := p.Sessions.Search(ctx, q, r.Since)
	if err != nil {
		return "", false, err
	}
	if r.Cursor != "" {
		r.Limit = res.Limit
	}
	text = renderHits(p, res, r, answerBytes(r), found)
	if mentions.Of != nil {
		text += "\n" + r.renderMentions(mentions)
	}
	return text, found || res.Matches > 0, nil
}

// A search shows so many passages of memories with so many characters, and names so many more. One of memories alone
// shows more of them, unless limit says otherwise, whole and with the sum of their memory: they can be corrected, and
// need not be read.
const (
	maxMentions      = 8
	maxMention       = 120
	maxAloneMentions = 20
	maxAloneMention  = 400
	maxNamed         = 30
)

// renderMentions says what memories have of what was looked for, and what none has.
func (r grepArguments) renderMentions(m consolidate.Mentions) string {
	var b text
	within, none := r.notWhole(m.Of)
	if m.Memories > 0 {
		b.add(true, "In %s", phrase.Plural(m.Memories, "memory"))
		b.add(none != "", "; none has %s", none)
	} else {
		b.add(true, "In no memory")
	}
	b.add(true, "%s%s", within, []string{".", ":"}[min(1, m.Memories)])
	var terms []related.Term
	for _, pattern := range append(r.Patterns, r.Pattern) {
		if pattern != "" {
			terms = append(terms, related.Term{Text: strings.ToLower(pattern)})
		}
	}
	shown, whole := maxMentions, maxMention
	if r.Memories {
		shown, whole = cmp.Or(r.Limit, maxAloneMentions), maxAloneMention
	}
	for i, f := range m.Found {
		var has []string
		for _, k := range f.Patterns {
			if len(r.Patterns) > 1 {
				has = append(has, quotedPattern(r.Patterns[k]))
			}
		}
		where := strings.TrimSpace(f.Where() + " " + strings.Join(has, ", "))
		switch {
		case i < shown:
			if r.Memories && f.Sum != "" {
				where = f.Where() + " " + strings.TrimSpace(f.Sum.Short()+" "+strings.Join(has, ", "))
			}
			b.add(true, "\n%s: %s", where, passage(f.Text, terms, whole))
		case i < shown+maxNamed:
			b.add(true, "%s%s", []string{"\nalso in ", ", "}[min(1, i-shown)], where)
		case i == shown+maxNamed:
			b.add(true, " and %d more", len(m.Found)-i)
		}
	}
	return b.String()
}

// notWhole names the patterns that longer words have, and those that nothing has.
func (r grepArguments) notWhole(found []search.Found) (within, none string) {
	var longer, absent []string
	for k, f := range found[:min(len(found), len(r.Patterns))] {
		name := quotedPattern(r.Patterns[k])
		if f.Within > 0 {
			longer = append(longer, fmt.Sprintf("%s %d", name, f.Within))
		}
		if f.Matches+f.Within == 0 {
			absent = append(absent, name)
		}
	}
	if longer != nil {
		within = "; in longer words, which \"regex\": true finds: " + strings.Join(longer, ", ")
	}
	return within, strings.Join(absent, " or ")
}

// grepArguments are the arguments of grep_transcripts.
type grepArguments struct {
	Pattern       string
	Patterns      []string
	Query         string
	Memories      bool
	ContextOf     []string `json:"context_of"`
	Regex         bool
	CaseSensitive *bool `json:"case_sensitive"`
	Speakers      []said.Speaker
	Since, Until  string
	Session       string
	Limit         int
	Context       *int
	Cursor        string
}

// selectors counts the arguments that say what is looked for.
func (r grepArguments) selectors() (given int) {
	for _, one := range []bool{r.Pattern != "", len(r.Patterns) > 0, r.Query != "", len(r.ContextOf) > 0} {
		if one {
			given++
		}
	}
	return given
}

// query is the search that the arguments ask for. The word last_dream is left to the project.
func (r grepArguments) query(now time.Time) (search.Query, error) {
	q := search.Query{
		Pattern: r.Pattern, Patterns: r.Patterns, Regex: r.Regex, CaseSensitive: r.CaseSensitive, Speakers: r.Speakers,
		Session: r.Session, Limit: r.Limit, Context: search.DefaultContext, Cursor: r.Cursor, Fold: true,
	}
	if r.Context != nil {
		q.Context = max(1, *r.Context)
	}
	var err error
	if r.Since != consolidate.SinceLastDream {
		if q.Since, err = consolidate.When("since", r.Since, now, false); err != nil {
			return q, err
		}
	}
	q.Until, err = consolidate.When("until", r.Until, now, true)
	return q, err
}

// what says in words what was looked for.
func (r grepArguments) what() string {
	switch {
	case r.Query != "":
		return strconv.Quote(quoted(r.Query, 100))
	case len(r.Patterns) > 0:
		var all []string
		for _, p := range r.Patterns {
			all = append(all, quotedPattern(p))
		}
		return strings.Join(all, " or ")
	}
	return strconv.Quote(quoted(r.Pattern, 100))
}
