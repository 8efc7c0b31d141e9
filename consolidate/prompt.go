package consolidate

import (
	"embed"
	"errors"
	"fmt"
	"strings"
	"sync"
	"text/template"
	"time"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory/visible"
)

// Limits of the values in a prompt.
const (
	maxPromptWords = 2_000 // characters that a person may have pasted
	maxPromptPath  = 400   // characters
	maxShownID     = 80    // characters of an invalid session ID in an error
)

// PromptValues are the values of the prompt templates.
type PromptValues struct {
	Today     time.Time // in the person's time zone
	MemoryDir string    // remember, extract
	Focus     string    // dream: what to look at in particular, or ""
	What      string    // remember: what to save
	Session   string    // extract: the session, or "" for the conversation itself
}

//go:embed prompt/dream.md prompt/remember.md prompt/extract.md
var promptFiles embed.FS

//go:embed prompt/brief.md
var brief string

//go:embed prompt/team.md
var team string

var prompts = sync.OnceValue(func() *template.Template { return template.Must(template.ParseFS(promptFiles, "prompt/*.md")) })

// DreamPrompt returns the procedure of a dream in four phases. Its first line contains said.DreamMarker, so that later
// searches skip the dream's own words.
//
// Focus is quoted and cut after 2,000 characters. It cannot end its quotation or hide anything, but a model may still
// follow it. The rules of the memory limit what a dream can do, not this prompt.
func DreamPrompt(v PromptValues) (string, error) { return v.fill("dream.md") }

// RememberPrompt returns the procedure that saves one thing. Its text never contains said.DreamMarker, even if What
// does, since the turn is part of an ordinary conversation. What is quoted and cut like Focus. It fails only if What is
// empty.
func RememberPrompt(v PromptValues) (string, error) {
	if quote(v.What) == "" {
		return "", errors.New("there is nothing to remember in what was given")
	}
	return v.fill("remember.md")
}

// ExtractPrompt returns the procedure that saves what the end of a session taught, in few turns. Like DreamPrompt it
// contains said.DreamMarker. It fails only if Session is not a valid ID, since the text quotes it in a call.
func ExtractPrompt(v PromptValues) (string, error) {
	if v.Session != "" && !said.IsKey(v.Session) {
		return "", fmt.Errorf("%q is not the ID of a session", visible.Short(v.Session, maxShownID))
	}
	return v.fill("extract.md")
}

// Team returns how to treat a folder that is shared with others.
func Team() string { return team }

// Brief returns a short form of the four phases, for a model that dreams without the prompt.
func Brief() string { return brief }

func (v PromptValues) fill(name string) (string, error) {
	var text strings.Builder
	err := prompts().ExecuteTemplate(&text, name, map[string]any{
		"Today":     v.Today.Format("2006-01-02 (Monday)"),
		"MemoryDir": promptPath(v.MemoryDir),
		"Focus":     quote(v.Focus),
		"What":      quote(v.What),
		"Session":   v.Session,
	})
	return text.String(), err
}

// quote returns words as a Markdown quotation: every line begins with "> ".
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

// promptPath returns a path as one line of visible text.
func promptPath(path string) string {
	return strings.ReplaceAll(harmless(path, maxPromptPath), "\n", "⟨U+000A⟩")
}

// harmless cuts a text after most characters, makes hidden characters visible, and escapes tags. It cuts again
// because visible text is longer. Tags come last, since hidden characters may have split them.
func harmless(text string, most int) string {
	return visible.Short(visible.EscapeTags(said.Visible(visible.Short(text, most))), most)
}
