package listing

import "testing"

// What a person typed cannot be taken for a mark of a listing.
func TestTyped(t *testing.T) {
	for text, want := range map[string]string{
		"it fails with\n[pasted: 84 lines]":    "it fails with\n\\[pasted: 84 lines]",
		"[busy] so be it [assistant: Yes?]":    "\\[busy] so be it \\[assistant: Yes?]",
		"… [120 characters left out] …":        "… \\[120 characters left out] …",
		"[+3 more] of [12 pieces], [+3 mores]": "\\[+3 more] of \\[12 pieces], [+3 mores]",
		"a [pasted] text, [1] and [busy bee]":  "a [pasted] text, [1] and [busy bee]",
	} {
		if got := typed(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}
