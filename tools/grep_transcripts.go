package tools

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/transcript"
)

// defaultTurns is how many turns context_of shows on each side, unless limit says otherwise.
const defaultTurns = 4

func grepTranscripts(ctx context.Context, p *consolidate.Project, r grepArguments) (answer, error) {
	if r.selectors() > 1 {
		return answer{}, ops.Refuse("at most one of pattern, patterns, query and context_of",
			`for example {"pattern": "staging", "since": "last_dream"}; without any it lists what the user said`)
	}
	if r.selectors() == 0 {
		return r.list(ctx, p)
	}
	if r.ContextOf != "" {
		turns, err := p.Sessions.ContextOf(ctx, r.ContextOf, cmp.Or(r.Limit, defaultTurns))
		return answer{text: renderTurns(p, turns, r.ContextOf)}, err
	}
	q, err := r.query(p.Now())
	if err != nil {
		return answer{}, err
	}
	if r.Query != "" {
		hits, res, err := p.Sessions.Ranked(ctx, r.Query, q, r.Since)
		return answer{text: renderRanked(p, hits, res, r, pageRoom(r))}, err
	}
	res, err := p.Sessions.Search(ctx, q, r.Since)
	if err != nil {
		return answer{}, err
	}
	text, shown := renderHits(p, res, r, pageRoom(r))
	if shown < len(res.Hits) {
		// Search again with what fits as the limit, so that the cursor begins after it.
		q.Limit = shown
		if res, err = p.Sessions.Search(ctx, q, r.Since); err != nil {
			return answer{}, err
		}
		text, _ = renderHits(p, res, r, MaxAnswer)
	}
	return answer{text: text}, nil
}

// grepArguments are the arguments of grep_transcripts.
type grepArguments struct {
	Pattern       string
	Patterns      []string
	Query         string
	ContextOf     string `json:"context_of"`
	Regex         bool
	CaseSensitive *bool `json:"case_sensitive"`
	Speakers      []transcript.Speaker
	Since, Until  string
	Session       string
	Limit         int
	Context       *int
	Cursor        string
}

// selectors counts the arguments that say what is looked for.
func (r grepArguments) selectors() (given int) {
	for _, one := range []bool{r.Pattern != "", len(r.Patterns) > 0, r.Query != "", r.ContextOf != ""} {
		if one {
			given++
		}
	}
	return given
}

// query is the search that the arguments ask for. The word last_dream is left to the project.
func (r grepArguments) query(now time.Time) (transcript.Query, error) {
	q := transcript.Query{
		Pattern: r.Pattern, Patterns: r.Patterns, Regex: r.Regex, CaseSensitive: r.CaseSensitive, Speakers: r.Speakers,
		Session: r.Session, Limit: r.Limit, Context: transcript.DefaultContext, Cursor: r.Cursor, Fold: true,
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
		all := make([]string, len(r.Patterns))
		for i, p := range r.Patterns {
			all[i] = strconv.Quote(quoted(p, 60))
		}
		return strings.Join(all, " or ")
	}
	return strconv.Quote(quoted(r.Pattern, 100))
}
