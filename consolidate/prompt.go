package consolidate

import (
	"embed"
	"errors"
	"fmt"
	"strings"
	"text/template"
	"time"

	"dream-mcp/consolidate/transcript"
)

// Bounds of what a prompt takes from outside, in characters: words that a person may have pasted, a
// path, and the folders that are worth naming.
const (
	maxPromptWords   = 2_000
	maxPromptPath    = 400
	maxPromptFolders = 8
	maxShownID       = 80 // of a session that is none
)

// PromptValues are what the prompts are filled with.
type PromptValues struct {
	Today       time.Time // in the person's time zone
	MemoryDir   string
	Transcripts []string // folders, the most important first; eight are named, the rest counted
	Focus       string   // dream: where to look in particular, or ""
	What        string   // remember: what is to be saved
	Session     string   // extract: the session to look at, or "" for the conversation itself
}

//go:embed prompt/dream.md prompt/remember.md prompt/extract.md
var promptFiles embed.FS

//go:embed prompt/brief.md
var brief string

var prompts = template.Must(template.ParseFS(promptFiles, "prompt/*.md"))

// DreamPrompt returns the procedure of a dream, in its four phases. Its first line carries
// transcript.DreamMarker, so that the dream's own words are not searched by the next one.
//
// Focus is quoted and cut after 2,000 characters. What it says can neither end its quotation nor hide,
// yet a model may still follow it: what a dream can do is bounded by the rules of the memory, not by
// these words.
func DreamPrompt(v PromptValues) (string, error) { return v.fill("dream.md") }

// RememberPrompt returns the procedure that saves one thing. A remember turn is ordinary talk, so the
// text never holds transcript.DreamMarker, even where What does. What is quoted and cut as Focus is;
// without a word in it there is nothing to remember, which is the one error.
func RememberPrompt(v PromptValues) (string, error) {
	if quote(v.What) == "" {
		return "", errors.New("there is nothing to remember in what was given")
	}
	return v.fill("remember.md")
}

// ExtractPrompt returns the procedure that notes down what the end of one session taught, in few turns. It
// carries transcript.DreamMarker, as DreamPrompt does: its words are not the person's. A session that
// is not named as sessions are is the one error: it would stand in a call.
func ExtractPrompt(v PromptValues) (string, error) {
	if v.Session != "" && !transcript.IsSessionID(v.Session) {
		return "", fmt.Errorf("%q is not the ID of a session", cutText(v.Session, maxShownID))
	}
	return v.fill("extract.md")
}

// Brief returns the rules of the four phases in brief, for a model that dreams without the prompt.
func Brief() string { return brief }

func (v PromptValues) fill(name string) (string, error) {
	folders := make([]string, 0, maxPromptFolders)
	for _, folder := range v.Transcripts[:min(len(v.Transcripts), maxPromptFolders)] {
		folders = append(folders, promptPath(folder))
	}
	var text strings.Builder
	err := prompts.ExecuteTemplate(&text, name, map[string]any{
		"Today":       v.Today.Format("2006-01-02 (Monday)"),
		"MemoryDir":   promptPath(v.MemoryDir),
		"Transcripts": folders,
		"More":        len(v.Transcripts) - len(folders),
		"Focus":       quote(v.Focus),
		"What":        quote(v.What),
		"Session":     v.Session,
	})
	return text.String(), err
}

// quote makes words from outside a Markdown quotation: every line of it begins with "> ".
func quote(words string) string {
	words = strings.TrimSpace(harmless(words, maxPromptWords))
	if words == "" {
		return ""
	}
	lines := strings.Split(words, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight("> "+line, " \t")
	}
	return strings.Join(lines, "\n")
}

// promptPath makes a path one line of plain text.
func promptPath(path string) string {
	return strings.ReplaceAll(harmless(path, maxPromptPath), "\n", "⟨U+000A⟩")
}

// promptTag is the name of our own tag. promptTags takes its effect, which is to make a turn a dream or
// to end the prompt that holds it.
var (
	promptTag  = strings.TrimPrefix(transcript.DreamMarker, "<")
	promptTags = strings.NewReplacer("<"+promptTag, "‹"+promptTag, "</"+promptTag, "‹/"+promptTag)
)

// harmless cuts a text to its first characters, shows what it hides, and takes our own tags' effect.
// It cuts twice: before, to bound the work; after, since what is shown grows. The tags come last, since
// what was hidden may have parted them.
func harmless(text string, most int) string {
	return promptTags.Replace(cutText(transcript.Visible(cutText(text, most)), most))
}

// cutText returns at most so many characters of a text, the last "…" if it was cut.
func cutText(text string, most int) string {
	n, last := 0, 0
	for i := range text {
		if n == most {
			return text[:last] + "…"
		}
		n, last = n+1, i
	}
	return text
}
