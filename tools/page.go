package tools

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"dream-mcp/consolidate/ops"
)

// linePage cuts the page of lines that begins at the cursor, which is the number of a line and a digest of the lines
// before it: with another digest, they have changed since. next returns the call for the next page. A quotation that
// goes on over several pages is closed on each and opened again on the next.
func linePage(head string, lines []string, cursor string, room int, next func(cursor string) string) (string, error) {
	from := 0
	if cursor != "" {
		number, digest, _ := strings.Cut(cursor, "-")
		n, err := strconv.Atoi(number)
		if err != nil || n <= 0 || n > len(lines) || digest != linesDigest(lines[:n]) {
			return "", ops.Refuse("this cursor does not fit what there is now", "call without cursor: it shows all from the beginning")
		}
		from = n
	}
	var b text
	b.WriteString(head)
	b.add(fenceIsOpen(lines[:from]), "%s\n", fenceOpen)
	to := from + fill(&b, len(lines)-from, room-120-len(fenceClose), func(i int) string { return lines[from+i] + "\n" })
	b.add(fenceIsOpen(lines[:to]), "%s\n", fenceClose)
	if to < len(lines) {
		fmt.Fprintf(&b, "… %d lines more: %s", len(lines)-to, next(fmt.Sprintf("%d-%s", to, linesDigest(lines[:to]))))
	}
	return strings.TrimRight(b.String(), "\n"), nil
}

func linesDigest(lines []string) string {
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:4])
}
