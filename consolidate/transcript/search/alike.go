package search

import (
	"dream-mcp/consolidate/transcript/said"
	"regexp"
	"strings"
)

// maxAlike bounds the texts that are compared with others, in bytes: what repeats is short.
const maxAlike = 4 << 10

var asciiDigits = regexp.MustCompile(`[0-9]+`)

// alike is the same for texts of one speaker that differ in nothing but case, digits and white space; 0 for one too long to
// tell.
func alike(speaker said.Speaker, text string) uint64 {
	if len(text) > maxAlike {
		return 0
	}
	return said.Sum(string(speaker), asciiDigits.ReplaceAllString(strings.ToLower(strings.Join(strings.Fields(text), " ")), "0"))
}
