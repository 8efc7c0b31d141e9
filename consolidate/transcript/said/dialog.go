package said

import (
	"slices"
	"strings"

	"dream-mcp/memory/lazy"
)

// A person answers a dialog of the host: whether the model may use a tool, and the questions that it asks by a tool.
// What they type there is in the tool's result, beside what any tool may write into its own. These are believed:
//
//   - toolDenialKind, which the host writes beside the result. Most records lack it.
//   - toolUseResult of the host's own tools. The host writes there "Error: " and what a tool failed with. That
//     begins with the host's words about a rejection if a person rejected the tool, or if the tool of a server chose
//     these words.
//
// So a rejection of a server's tool is only read where the host says that it is one.

const (
	rejection = "The user doesn't want to proceed with this tool use."
	clarifies = "The user wants to clarify these questions."
)

// Around what a person typed with a rejection.
var (
	beforeReason = []string{"To tell you how to proceed, the user said:\n", "The user provided the following reason for the rejection:"}
	afterReason  = "\n\nNote: The user's next message may contain a correction"
)

// clarified is a question that was answered before the person asked to clarify others.
var clarified = lazy.New(`(?m)^- "(.*)"\n  Answer: (.*)$`)

// dialog appends what a person answered to a dialog about the use of a tool, and each question before its answer. own
// says that the tool is not one of a server.
func (r *Record) dialog(said []part, b Block, own bool) []part {
	if answers := r.Result.Field("answers"); own && answers != nil {
		answers.Each(func(question string, answer Raw) { said = r.answer(said, question, answer) })
		return said
	}
	if !r.Denial.Is("user-rejected") && !(own && strings.HasPrefix(r.Result.Text(), "Error: "+rejection)) {
		return said
	}
	text := plain(b.Content)
	if !strings.HasPrefix(text, rejection) {
		return said
	}
	for _, before := range beforeReason {
		_, reason, ok := strings.Cut(text, before)
		if !ok {
			continue
		}
		reason, _, _ = strings.Cut(reason, afterReason)
		if strings.HasPrefix(reason, clarifies) {
			for _, m := range clarified.FindAllStringSubmatch(reason, -1) {
				said = append(said, part{speaker: Assistant, text: m[1]}, part{speaker: User, recorded: turn, manner: Answering, text: m[2]})
			}
		} else if reason = strings.TrimSpace(reason); typedCommand(reason) != "" {
			said = append(said, part{speaker: User, recorded: turn, manner: Rejecting, text: reason})
		}
		break
	}
	return said
}

// answer appends a question of the host and what the person answered: an option, several, or words of their own.
func (r *Record) answer(said []part, question string, answer Raw) []part {
	var words []string
	answer.Items(func(v Raw) { words = append(words, v.Text()) })
	text, manner := strings.TrimSpace(strings.Join(words, ", ")), Answering
	if r.offers(question, text) {
		manner = Choosing
	}
	if notes := r.Result.Field("annotations").Field(question).Field("notes").Text(); !isBlank(notes) {
		text, manner = strings.TrimSpace(text+"\n"+notes), Answering
	}
	if isBlank(text) {
		return said
	}
	if !isBlank(question) {
		said = append(said, part{speaker: Assistant, text: question})
	}
	return append(said, part{speaker: User, recorded: turn, manner: manner, text: text})
}

// offers reports whether an answer is nothing but options that the question offered.
func (r *Record) offers(question, answer string) (all bool) {
	var labels []string
	r.Result.Field("questions").Items(func(q Raw) {
		if q.Field("question").Text() == question {
			q.Field("options").Items(func(o Raw) { labels = append(labels, strings.TrimSpace(o.Field("label").Text())) })
		}
	})
	for rest, more := answer, true; more; {
		i := slices.IndexFunc(labels, func(label string) bool {
			after, ok := strings.CutPrefix(rest, label)
			return ok && label != "" && (after == "" || strings.HasPrefix(after, ","))
		})
		if i < 0 {
			return false
		}
		rest, more = strings.CutPrefix(rest[len(labels[i]):], ",")
		rest = strings.TrimSpace(rest)
	}
	return true
}
