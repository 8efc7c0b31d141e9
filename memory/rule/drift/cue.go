package drift

import (
	"strings"

	"dream-mcp/memory/lazy"
	"dream-mcp/memory/rule/prose"
)

// words matches one of some words.
func words(alternatives ...string) string { return `\b(?:` + strings.Join(alternatives, "|") + `)\b` }

// What a sentence says of something that is not in the project: it was there, it is to come or an example, or it is
// elsewhere.
var (
	gone = words(
		`remov(?:ed|es|ing|al)`, `delet(?:ed|es|ing|ion)`, `dropped`, `gone`, `no longer`, `any ?more`, `renam(?:ed|ing)`, `moved`,
		`replac(?:ed|es|ing)`, `supersed(?:ed|es)`, `retired`, `obsolete`, `deprecated`, `formerly`, `previously`, `used to`,
		`became`, `upgraded?(?: from)?`, `bumped`, `(?:was|were) (?:on|using)`, `at the time`, `before (?:that|this|then)`,
		`back then`, `switched`, `converted`, `consolidated`, `archived`, `reverted`, `absorbed`, `extracted`, `landed`, `closed`,
		`migrated`, `migration away`, `re-?organi[sz]ed`, `restructured`, `merged into`, `clean(?:ed)?[ -]?up`, `git-?ignore\w*`, `outdated`, `dead code`, `orphan\w*`, `unused`, `split (?:into|off)`, `ripped out`, `got rid of`, `retracted`, `was wrong`, `passed`, `live (?:\w+ )?pass`,
		`(?:does|do|did)(?: not|n't) exist`,
		`there (?:is|are|was|were) no`, `there(?: isn't| aren't|'s no)`, `missing`, `never existed`, `was in`, `was called`,
		`were in`, `history`, `in favou?r of`, `folded into`,
		`upstream`, `submodule`, `gist`, `forks?`, `sibling`, `bucket`, `s3`,
		`(?:on|in|inside) (?:the|a|my|our|his|her|each|every) (?:\w+ )?(?:servers?|hosts?|machines?|laptop|box|cluster|containers?|image|vm|pod)`,
		`the (?:container|image|vm|host) (?:has|keeps|holds)`,
		`gelöscht`, `entfernt`, `gab es`, `gegeben`, `früher`, `umbenannt`, `ersetzt`, `nicht mehr`,
		`n'existe(?:nt)? plus`, `ancien\w*`, `ya no`, `antes (?:en|era|estaba|se)`) +
		`|\b(?:supprim|retir|renomm|remplac|elimin|borrad|borró|renombr|reemplaz|rimoss|cancellat|behoben)` +
		`|删除|已删|删掉|移除|废弃|过时|清理|待清|僵尸|不再|改名|重命名|替换|取代|以前|曾经|过去|原来|刪除|廢棄|重新命名` +
		`|削除|撤去|廃止|なくな|移動し|당시|통합|삭제|제거|없어|없다|없음|없앴|폐기|예전|이름을 바꾸|이름 변경|대체`
	planned = words(
		`planned`, `planning`, `plans? (?:to|for)`, `will`, `to-do`, `(?-i:TODO)`, `propos(?:al|e|ed|es)`, `ideas?`, `should`, `would`, `could`, `might`,
		`next steps?`, `upcoming`, `future`,
		`eventually`, `going to`, `wants? to`, `not yet`, `wish`, `draft(?:ed)?`, `for example`, `e\.g`, `examples?`,
		`such as`, `imagine`, `hypothetical`,
		`(?:is|are) (?:named|called)`, `(?:nam\w+|file|path|glob) patterns?`, `patterns? (?:is|are|like|of)`,
		`geplant`, `soll(?:en|te)?`, `künftig`, `prévue?s?`, `à créer`, `planead\w+`, `previst\w+`) +
		`|计划|計劃|将要|打算|新增|待办|予定|今後|예정|계획|추후|추가할`
	elsewhere = `\b(?:local|state) files?\b|\b(?:loaded|restored|written|saved) (?:on|at) start-?up\b|` + "`(?:~/|/[a-z]|\\$[A-Z]|[A-Z]:\\\\)[^`]*`|(?:^|\\s)(?:~/|/(?:home|opt|srv|etc|var|tmp|usr)/)" +
		`|\b(?:plugins?|skills?|marketplaces?|worktrees?|other (?:repo\w*|projects?|codebase)|sister (?:repo\w*|project)` +
		`|external|third[- ]party|vendor(?:ed)?|not in (?:git|the repo|this repo)|untracked|uncommitted|git-?ignored` +
		`|systemd|tbd|in te?mp|scratch(?:pad)?|node_modules|another branch|feature branch|stash(?:ed)?)\b`
)

// A sentence says something else than what is in the project by these words.
var (
	inSentence = lazy.New(`(?i)` + gone + `|` + planned + `|` + elsewhere)
	inNext     = lazy.New(`(?i)^\s*(?:it|this|that|these|those|they|both|since then|now|today|all|we)\b.*(?:` + gone + `)`)
	// directly before the code span, and directly after it
	beforeSpan = lazy.New(`(?i)(?:~~|\b(?:old|former|previous|legacy|not|no|nor|without|over|add|create|write` +
		`|introduce|like|unlike|(?:un)?till? [\d-]+)(?: (?:a|an|the|any|new|this|our))*)[ \n*_(]*` + "`+$")
	afterSpan = lazy.New(`^` + "`+" + `[*_)\s]*(?:~~|→|⇒|->|=>|\((?:old|former|stale)\b|is now ` + "`" + `)|^,? (?:was|were)\b`)
	// in a heading or a lead
	inScope = lazy.New(`(?i)\b(?:removed|deleted|dropped|gone|obsolete|deprecated|history|changelog` +
		`|planned|to-do|(?-i:TODO)|ideas?|proposals?|future|roadmap|next steps?|later|never|don't|avoid|examples?|elsewhere|backlog` +
		`|open questions?|resolved|fixed|root cause|post-?mortem|incidents?|mistakes?|completed|done|merged|shipped|this session|changes in)\b|删除|计划|削除|予定|삭제|계획`)
	// of a repository, with the word before it
	ofRepo = lazy.New(`(?i)([\w-]+) (?:repo|repos|repository|repositories)\b`)
)

// here are words before "repo" that mean this one.
var here = prose.Set("this our the same whole entire your my git main mono in a at of to from per across current project single")

// isPresent reports whether the sentence of a passage says what is there: not what was, will be, or is
// somewhere else.
func (s around) isPresent() bool {
	said := strings.ReplaceAll(s.before+s.after, "’", "'")
	if s.struck || inNext.MatchString(s.next) || inSentence.MatchString(said) || beforeSpan.MatchString(s.before) || afterSpan.MatchString(s.after) ||
		s.scope != "" && inScope.MatchString(s.scope) {
		return false
	}
	for _, m := range ofRepo.FindAllStringSubmatch(said, -1) {
		if !here[strings.ToLower(m[1])] {
			return false
		}
	}
	return true
}
