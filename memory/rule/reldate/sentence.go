package reldate

import (
	"strings"
	"unicode"

	"dream-mcp/memory/lazy"
	"dream-mcp/memory/rule/prose"
	"dream-mcp/memory/text"
)

// scan is a text and what was learned of it so far.
type scan struct {
	text     string
	masked   []prose.Span // what is not prose; nil until it is asked for
	sentence sentence     // the last one asked for
	quoted   quotations   // of the paragraph or the sentence last asked for
}

// sentence is the place of a sentence and what is known of it.
type sentence struct {
	from, to int
	lower    string // with plain apostrophes
	kana     bool
	dated    bool // it holds an absolute date, or is about no day: "a must written today is settled ground tomorrow"
}

// isMasked reports whether a place lies in code, a link, a comment, a tag or a URL.
func (p *scan) isMasked(from, to int) bool {
	if p.masked == nil {
		p.masked = append(prose.Spans(p.text), prose.Span{From: len(p.text), To: len(p.text)})
	}
	_, masked := prose.At(p.masked, from, to)
	return masked
}

// around returns the sentence that text[from:to] is in.
func (p *scan) around(from, to int) *sentence {
	s := &p.sentence
	if s.lower != "" && s.from <= from && to <= s.to {
		return s
	}
	*s = sentence{}
	s.from, s.to = text.Sentence(p.text, from, to)
	words := p.text[s.from:s.to]
	s.lower = lower(words)
	s.kana = strings.ContainsFunc(words, func(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana) })
	s.dated = date.MatchString(s.lower) || contrast.MatchString(s.lower)
	return s
}

// contrast matches today and tomorrow in one sentence, which mostly stand for sooner and later.
var contrast = lazy.New(`(?s)\btoday\b.*\btomorrow\b|今天.*明天|오늘.*내일|今日.*明日|\bheute\b\W+\w+.*\bmorgen\b|aujourd'hui.*\bdemain\b|\bhoy\b.*\bmañana\b` +
	`|\boggi\b.*\bdomani\b|\bhoje\b.*\bamanhã|сегодня.*завтра|hôm nay.*ngày mai`)

// lower returns a text in lower case, with plain apostrophes.
func lower(text string) string { return strings.ReplaceAll(strings.ToLower(text), "’", "'") }

// months are their names in the languages of Latin script.
const months = `(?:january|february|march|april|may|june|july|august|september|october|november|december` +
	`|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec` +
	`|januar|jänner|februar|märz|mai|juni|juli|oktober|dezember` +
	`|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre` +
	`|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre` +
	`|janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|novembro|dezembro` +
	`|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|diciembre)`

// date finds an absolute date in lower case.
var date = lazy.New(`\b(?:19|20)\d\d[-/.](?:0?[1-9]|1[0-2])(?:[-/.]\d{1,2})?\b` +
	`|\b\d{1,2}[-/.]\d{1,2}[-/.](?:\d\d){1,2}\b` +
	`|\b(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\b` +
	`|\d{1,2} ?月 ?\d{1,2} ?[日号號]|\d{1,2}월 ?\d{1,2}일` +
	`|\b\d{1,2} (?:январ|феврал|март|апрел|ма[йя]|июн|июл|август|сентябр|октябр|ноябр|декабр)|ngày \d{1,2}[/-]\d{1,2}|tháng \d{1,2}[/-]\d{4}` +
	`|\b` + months + `\.? \d{1,2}(?:st|nd|rd|th)?\b` +
	`|\b\d{1,2}(?:st|nd|rd|th|er|\.)? (?:de |of )?` + months + `\b` +
	`|(?:^|[^\w.])\d{1,2}\. ?\d{1,2}\.(?:[\s),]|$)` +
	`|\((?:on |am |le |el )?\d{1,2}/\d{1,2}\)` +
	`|\b(?:week|kw|semaine|semana|w) ?\d{1,2}\b|\b(?:19|20)\d\d[- ]?[qw]\d` +
	`|\bq[1-4][ /]?(?:19|20)\d\d\b|\b` + months + ` (?:de )?(?:19|20)\d\d\b|(?:19|20)\d\d年 ?\d{1,2}月|(?:19|20)\d\d년 ?\d{1,2}월`)
