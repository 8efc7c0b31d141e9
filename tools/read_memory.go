package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"dream-mcp/consolidate"
	"dream-mcp/memory"
)

func readMemory(p *consolidate.Project) tool {
	return tool{
		name:  "read_memory",
		title: "Read memories",
		description: "Read memories as the open dream would leave them, or as they are: MEMORY.md, topics, logs. " +
			"Each begins with a line PATH SUM BYTES, where the sum is the base that write_memory asks for, and ends with a line that repeats it. After them: where each comes from, as far as it names sources.",
		input: `{"type":"object","properties":{
			"paths":{"type":"array","minItems":1,"maxItems":50,"items":{"type":"string","maxLength":400}},
			"offset":{"type":"integer","minimum":0,"description":"with one path: the byte to go on from"}},
			"required":["paths"],"additionalProperties":false}`,
		readOnly: true, idempotent: true,
		call: func(ctx context.Context, arguments json.RawMessage) (answer, error) {
			r, err := decode[struct {
				Paths  []string
				Offset int
			}](arguments)
			if err != nil {
				return answer{}, err
			}
			if r.Offset > 0 && len(r.Paths) != 1 {
				return answer{}, &consolidate.RequestError{Message: "offset goes with one path", Hint: "read the others in a call of their own"}
			}
			files, err := p.Read(ctx, r.Paths)
			if err != nil {
				return answer{}, err
			}
			if len(files) == 1 && files[0].Err != nil && files[0].Disk == nil {
				return answer{}, &consolidate.RequestError{Message: readProblem(r.Paths[0], files[0]), Hint: "dream_orient lists the files; MEMORY.md names them"}
			}
			text := renderFiles(r.Paths, files, r.Offset)
			sources, err := renderSources(ctx, p, files, pageBytes-len(text))
			return answer{text: text + sources}, err
		},
	}
}

func readProblem(path string, f consolidate.ReadResult) string {
	switch {
	case !errors.Is(f.Err, fs.ErrNotExist):
		return fmt.Sprintf("%q can't be read: %s", path, strings.TrimPrefix(f.Err.Error(), path+": "))
	case f.Near != "":
		return fmt.Sprintf("%q does not exist; the nearest name is %q", path, f.Near)
	}
	return fmt.Sprintf("%q does not exist", path)
}

// renderFiles lists files until the page is full, the first always in part at least.
func renderFiles(paths []string, files []consolidate.ReadResult, offset int) string {
	var b strings.Builder
	for i, f := range files {
		if f.Err != nil && f.Disk == nil {
			fmt.Fprintf(&b, "%s\n\n", readProblem(paths[i], f))
			continue
		}
		room := pageBytes - b.Len()
		if room < 500 && b.Len() > 0 {
			fmt.Fprintf(&b, "… the page is full; not shown: %s", strings.Join(paths[i:], ", "))
			return b.String()
		}
		if f.Disk != nil {
			b.WriteString("the file on disk changed since it was staged; staged:\n")
		}
		if f.Err != nil {
			fmt.Fprintf(&b, "%s deleted\n\n", paths[i])
		} else {
			renderFile(&b, f.Shown, offset, room)
		}
		if f.Disk != nil && f.Disk.Sum == "" {
			fmt.Fprintf(&b, "on disk: %s is gone\n\n", paths[i])
		} else if f.Disk != nil {
			b.WriteString("on disk:\n")
			renderFile(&b, *f.Disk, offset, room)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// The bounds of what is told of sources: of the words of one, in characters, and of all, in bytes, where the
// files fill the page.
const (
	sourceWords = 160
	sourceRoom  = 2_000
)

// renderSources tells where memories come from: who said it, when, and the words in a line each.
func renderSources(ctx context.Context, p *consolidate.Project, files []consolidate.ReadResult, room int) (string, error) {
	room = max(room, sourceRoom)
	var b strings.Builder
	for _, f := range files {
		if f.Err != nil || !f.Name.IsTopic() {
			continue
		}
		origins, err := p.Origins(ctx, memory.ParseTopic([]byte(f.Text)))
		if err != nil {
			return "", err
		}
		for i, o := range slices.Backward(origins) {
			line := o.Line(sourceWords)
			if i == len(origins)-1 {
				line = fmt.Sprintf("%s comes from:\n%s", f.Name, line)
			}
			if b.Len()+len(line) > room {
				b.WriteString("… and more\n")
				return "\n\n" + fenceOpen + "\n" + b.String() + fenceClose, nil
			}
			b.WriteString(line + "\n")
		}
	}
	if b.Len() == 0 {
		return "", nil
	}
	return "\n\n" + fenceOpen + "\n" + b.String() + fenceClose, nil
}

// renderFile writes a file from an offset on, in bytes of what is shown of it.
func renderFile(b *strings.Builder, f consolidate.Shown, offset, room int) {
	name := fmt.Sprintf("%s %s", f.Name, cmp.Or(f.Sum.Short(), "new"))
	fmt.Fprintf(b, "%s %d\n", name, f.Bytes)
	if f.Masked > 0 {
		fmt.Fprintf(b, "(masked: %d; an edit names what is masked as it is shown, and new text that holds a mask loses the value)\n", f.Masked)
	}
	text := f.Text[min(offset, len(f.Text)):]
	for len(text) > 0 && offset > 0 && !utf8.RuneStart(text[0]) {
		text = text[1:] // an offset within a character begins with the next one
	}
	start := len(f.Text) - len(text)
	if len(text) <= room {
		fenced(b, text, name)
		b.WriteByte('\n')
		return
	}
	end := room
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	if i := strings.LastIndexByte(text[:end], '\n'); i > room/2 {
		end = i + 1
	}
	fenced(b, text[:end], name)
	fmt.Fprintf(b, "… cut: read_memory {\"paths\": [%q], \"offset\": %d} goes on\n\n", f.Name, start+end)
}
