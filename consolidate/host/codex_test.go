package host

import "testing"

// An editor or the app puts what a person chose beside what the person typed.
func TestCodexTyped(t *testing.T) {
	const asked = "\n\n## My request for Codex:\npaint it\n"
	for _, text := range []string{
		"paint it", "# Context from my IDE setup:\n\n## Open tabs:\n- a.go" + asked, "\n# Files mentioned by the user:\n\n## a.png: C:/a.png" + asked,
		"## Code review guidelines:\n\nYou are a reviewer." + asked,
	} {
		if got := codexTyped(text); got != "paint it" {
			t.Errorf("typed %q of %q", got, text)
		}
	}
}
