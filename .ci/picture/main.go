// Picture draws what a program wrote to a terminal as an SVG. The screens end where the program asks the person to go
// on; they follow each other in a loop, and without animation the first is seen.
package main

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"os"
	"regexp"
	"strings"
)

const (
	columns, rows = 80, 24
	cell, line    = 8.4, 18 // of a monospaced font of 14 pixels
	seconds       = 7       // each screen
)

var (
	colours = map[string]string{"1": "font-weight:bold", "2": "opacity:.6", "31": "fill:#ff7b72", "32": "fill:#7ee787", "33": "fill:#e3b341", "36": "fill:#79c0ff"}
	colour  = regexp.MustCompile("\x1b\\[([0-9;]*)m")
	goOn    = regexp.MustCompile(`(?m)^.*enter: go on.*$`)
)

func main() {
	data, err := io.ReadAll(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	screens := goOn.Split(strings.ReplaceAll(string(data), "\r", ""), -1)
	width, height := int(columns*cell)+24, rows*line+24
	total := seconds * len(screens)
	fmt.Fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"ui-monospace,Menlo,Consolas,monospace\" font-size=\"14\" fill=\"#e6edf3\">\n", width, height)
	fmt.Fprintf(out, "<style>g{animation:s %ds infinite;opacity:0}g:first-of-type{opacity:1}text{white-space:pre}@keyframes s{0%%,%d%%{opacity:1}%d%%,100%%{opacity:0}}@media(prefers-reduced-motion){g{animation:none}}</style>\n",
		total, 100/len(screens), 100/len(screens)+1)
	fmt.Fprintf(out, "<rect width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#0d1117\"/>\n", width, height)
	for i, screen := range screens {
		fmt.Fprintf(out, "<g style=\"animation-delay:%ds\">\n", i*seconds)
		style := ""
		for y, row := range strings.Split(strings.Trim(screen, "\n"), "\n") {
			if y == rows {
				break
			}
			var drawn string
			drawn, style = draw(row, style)
			fmt.Fprintf(out, "<text x=\"12\" y=\"%d\">%s</text>\n", 12+line*(y+1)-4, drawn)
		}
		fmt.Fprintln(out, "</g>")
	}
	fmt.Fprintln(out, "</svg>")
}

// draw turns the colours of a row into styles. style is that of its beginning, and of the next row's.
func draw(row, style string) (drawn, next string) {
	var b strings.Builder
	add := func(text string) {
		if text = html.EscapeString(text); style != "" && text != "" {
			text = "<tspan style=\"" + style + "\">" + text + "</tspan>"
		}
		b.WriteString(text)
	}
	for {
		at := colour.FindStringSubmatchIndex(row)
		if at == nil {
			add(row)
			return b.String(), style
		}
		add(row[:at[0]])
		style = colours[row[at[2]:at[3]]]
		row = row[at[1]:]
	}
}
