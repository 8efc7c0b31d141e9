package signal

import (
	"regexp"
	"strings"
)

var (
	url    = regexp.MustCompile(`(?i)\bhttps?://[^\s"<>` + "`" + `)\]]+`)
	host   = regexp.MustCompile(`(?i)(?:^|[\s(])((?:[a-z0-9-]+\.)+(?:ai|app|cloud|cn|com?|de|dev|es|fr|io|jp|kr|net|org|so)/[^\s"<>` + "`" + `)\]]+)`)
	ticket = regexp.MustCompile(`(?:^|[\s(\[,:])([A-Z][A-Z0-9]{1,9}-[0-9]+)\b`)
	number = regexp.MustCompile(`(?:^|[\s(\[,:])(#[0-9]{2,6})\b`)

	localHost = regexp.MustCompile(`(?i)^https?://(?:localhost|127\.|0\.0\.0\.0|\[::|192\.168\.|10\.|(?:www\.)?example\.|host\.docker\.internal|$)`)
	color     = regexp.MustCompile(`(?i)colou?r|background|farbe|couleur|颜色|背景|색|色`)
	// What looks like the key of a ticket and is the name of a standard.
	standard = regexp.MustCompile(`^(?:AES|ARM|BASE|BM|COVID|CP|ECMA|ED|ES|GB|GMT|GPT|HTTP|IEEE|IPV|ISO|KOI|LATIN|MD|MP|PEP|` +
		`RFC|RSA|SHA|SHIFT|TLS|UCS|USB|UTC|UTF|VT|WIN|X)-`)
)

// reference returns where a line first names a page that is not local, or a ticket.
func reference(line string) (from, to int, ok bool) {
	if !strings.ContainsAny(line, "/#-") {
		return 0, 0, false
	}
	consider := func(expr *regexp.Regexp, fits func(string) bool) {
		for _, m := range expr.FindAllStringSubmatchIndex(line, -1) {
			f, t := m[len(m)-2], m[len(m)-1]
			if named := strings.TrimRight(line[f:t], ".,;:!?'"); fits(named) && (!ok || f < from) {
				from, to, ok = f, f+len(named), true
			}
		}
	}
	consider(url, func(s string) bool { return !localHost.MatchString(s) })
	consider(host, func(s string) bool { return !strings.Contains(s, "://") })
	consider(ticket, func(s string) bool { return !standard.MatchString(s) })
	consider(number, func(s string) bool { return !color.MatchString(line[:strings.Index(line, s)]) })
	return from, to, ok
}
