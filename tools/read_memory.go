package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/ops"
	"dream-mcp/memory"
	"dream-mcp/memory/phrase"
	"dream-mcp/memory/visible"
)

func readMemory(ctx context.Context, p *consolidate.Project, r readArguments) (answer, error) {
	switch {
	case r.Offset > 0 && len(r.Paths) != 1:
		return answer{}, ops.Refuse("offset needs exactly one path", "read the others in another call")
	case r.Cursor != "" && r.Paths != nil:
		return answer{}, ops.Refuse("cursor and paths exclude each other: cursor continues with all topics", "omit one of them")
	case r.Paths == nil:
		return readAll(ctx, p, r.Cursor)
	}
	files, err := p.Read(ctx, r.Paths)
	if err != nil {
		return answer{}, err
	}
	if len(files) == 1 && files[0].Err != nil && files[0].Disk == nil {
		return answer{}, ops.Refuse(readProblem(r.Paths[0], files[0]), "dream_orient lists the files; MEMORY.md names them")
	}
	var b text
	texts := slices.Clone(files)
	for i := range texts {
		if len(texts) > 1 {
			shorten(&texts[i].ShownFile)
		}
	}
	shown := renderFiles(&b, r.Paths, texts, r.Offset, readPage)
	b.add(shown < len(files), "… the page is full; not shown: %s", strings.Join(r.Paths[shown:], ", "))
	text := strings.TrimRight(b.String(), "\n")
	p.Recall.NoteRead(r.Paths[:shown])
	sources, err := renderSources(ctx, p, files[:shown], readPage-len(text))
	return answer{text: text + sources}, err
}

type readArguments struct {
	Paths  []string
	Offset int
	Cursor string
}

// readPage is the size of a page, in bytes.
const readPage = 24_500

// readAll renders a page of all topics, the index before the first. The cursor is the last topic of the page before.
func readAll(ctx context.Context, p *consolidate.Project, cursor string) (answer, error) {
	page, err := p.ReadAfter(ctx, cursor, readPage, clientName(ctx))
	if err != nil {
		return answer{}, err
	}
	files := page.Files
	if len(files) == 0 && page.Index == nil && page.Left == 0 {
		if cursor == "" {
			return answer{text: "The memory is empty."}, nil
		}
		return answer{text: "This was the last page."}, nil
	}
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.Name.String()
		shorten(&files[i].ShownFile)
	}
	var b text
	b.add(page.Unlisted != "", "The listing is not read to its end, and not all that it touches is here: first grep_transcripts %s\n\n", page.Unlisted)
	if page.Index != nil {
		renderOutline(&b, *page.Index, page.Loaded)
	}
	shown := renderFiles(&b, paths, files, 0, readPage) // maybe fewer: one that changed after it was staged is shown twice
	left, last := page.Left+len(paths)-shown, memory.IndexFile
	paths = paths[:shown]
	p.Recall.NoteRead(paths)
	if len(paths) > 0 {
		last = paths[len(paths)-1]
	}
	part := slices.ContainsFunc(files[:shown], func(f consolidate.ReadResult) bool { return f.Part })
	b.add(part, "In part: the passages that something new touches, as they are written; paths shows the rest.\n")
	b.add(left > 0, "… %d more", left)
	b.add(left > 0 && page.Others > 0, " that the map is about or the listing touched")
	b.add(left > 0, ": read_memory {\"cursor\": %q}\n", last)
	b.add(left == 0 && page.Others == 0, "This was the last page.\n")
	b.add(left == 0 && page.Others > 0, "This is all that the map is about and the listing touched. ")
	b.add(page.Others > 0, "Not touched: %s; grep_transcripts {\"patterns\": [\"…\"], \"memories\": true} shows what they say of a thing", phrase.Plural(page.Others, "other memory"))
	return answer{text: strings.TrimRight(b.String(), "\n")}, nil
}

// renderOutline renders what the index says, or one line if the host has loaded it.
func renderOutline(b *text, f consolidate.ReadResult, loaded bool) {
	const whole = `read_memory {"paths": ["MEMORY.md"]}`
	sum := cmp.Or(f.Sum.Short(), "new")
	if loaded {
		b.add(true, "%s %s: the host loaded it into this session. If you do not see it: %s\n\n", f.Name, sum, whole)
	} else {
		b.add(true, "%s %s, without titles; as it is: %s\n", f.Name, sum, whole)
		_, to := pageOf(f.Text, 0, readPage/2)
		fenced(b, "", f.Text[:to], sum)
		b.add(to < len(f.Text), "… cut: %s shows the rest\n", whole)
		b.WriteByte('\n')
	}
	renderNoLine(b, f.NoLine)
}

func readProblem(path string, f consolidate.ReadResult) string {
	path = visible.Short(path, maxShortLine)
	switch {
	case !errors.Is(f.Err, fs.ErrNotExist):
		return fmt.Sprintf("%q cannot be read: %s", path, strings.TrimPrefix(f.Err.Error(), path+": "))
	case f.Near != "":
		return fmt.Sprintf("%q does not exist; the nearest name is %q", path, f.Near)
	}
	return fmt.Sprintf("%q does not exist", path)
}

// renderFiles renders files until the page has room bytes, and returns how many. Only the first may be cut.
func renderFiles(b *text, paths []string, files []consolidate.ReadResult, offset, room int) (shown int) {
	return fill(b, len(files), room, func(i int) string {
		if f := files[i]; f.Err == nil || f.Disk != nil {
			return renderBoth(paths[i], f, offset)
		}
		return readProblem(paths[i], files[i]) + "\n\n"
	})
}

// renderBoth renders a file as staged, and also as on disk if it changed there after it was staged.
func renderBoth(path string, f consolidate.ReadResult, offset int) string {
	var b text
	b.add(f.Disk != nil, "the file on disk changed after it was staged; staged:\n")
	b.add(f.Err != nil, "%s deleted\n\n", path)
	if f.Err == nil {
		renderFile(&b, f.ShownFile, offset)
	}
	renderNoLine(&b, f.NoLine)
	if f.Disk != nil {
		b.add(f.Disk.Sum == "", "on disk: %s is deleted\n\n", path)
		if f.Disk.Sum != "" {
			b.add(true, "on disk:\n")
			renderFile(&b, *f.Disk, offset)
		}
	}
	return b.String()
}

// maxNoLine bounds the memories without a line that are named.
const maxNoLine = 20

// renderNoLine names the memories that a full index has no line for.
func renderNoLine(b *text, names []string) {
	b.add(len(names) > 0, "The index is full: %s without a line: %s\n\n", phrase.Plural(len(names), "memory"),
		strings.Join(fewLines(names, maxNoLine, "and %d more"), ", "))
}

const (
	sourceWords = 160   // characters of the words of a source
	sourceBytes = 2_000 // bytes of the sources, if the file fills the page
)

// renderSources lists the sources of a memory that is read alone, one line each: who said it, when, and the words. With
// several they would be a third of the page, words that the person withdrew among them.
func renderSources(ctx context.Context, p *consolidate.Project, files []consolidate.ReadResult, room int) (string, error) {
	files = slices.DeleteFunc(slices.Clone(files), func(f consolidate.ReadResult) bool { return !f.Name.IsTopic() })
	if len(files) != 1 || files[0].Err != nil {
		return "", nil
	}
	origins, err := p.Sources.Origins(ctx, memory.ParseTopic([]byte(files[0].Text)))
	if err != nil || len(origins) == 0 {
		return "", err
	}
	slices.Reverse(origins)
	var b text
	if writeHits(&b, len(origins), max(room, sourceBytes), func(i int) string {
		line := harmless(origins[i].Line(sourceWords)) + "\n"
		if i == 0 {
			line = fmt.Sprintf("%s comes from:\n%s", files[0].Name, line)
		}
		return line
	}) < len(origins) {
		b.WriteString("… and more\n")
	}
	return "\n\n" + strings.TrimRight(b.String(), "\n"), nil
}

// shorten shows of a topic that is not read alone what memory.Brief does, unless it may be cut, since an offset counts
// the rest.
func shorten(f *consolidate.ShownFile) {
	if f.Name.IsTopic() && len(f.Text) < readPage/2 {
		f.Type, f.Text = memory.Brief(f.Name, f.Text)
	}
}

// renderFile writes a page of a file. The offset is in bytes of the masked text.
func renderFile(b *text, f consolidate.ShownFile, offset int) {
	b.add(true, "%s %s", f.Name, cmp.Or(f.Sum.Short(), "new"))
	b.add(!f.Written.IsZero(), " %s", f.Written.UTC().Format(time.DateOnly))
	b.add(f.Type != "", " %s", f.Type)
	b.add(f.Part, ", in part")
	b.WriteByte('\n')
	b.add(f.Masked > 0, "(masked: %d; an edit quotes masked values as shown; new text that contains a mask loses the value)\n", f.Masked)
	from, to := pageOf(f.Text, offset, max(readPage-b.Len(), readPage/2))
	fenced(b, "", f.Text[from:to], cmp.Or(f.Sum.Short(), f.Name.String()+" new")) // a text cannot hold its own sum
	b.add(to < len(f.Text), "… cut: read_memory {\"paths\": [%q], \"offset\": %d} continues\n", f.Name, to)
	b.WriteByte('\n')
}

// maxLine is the longest line that is not cut at the end of a page.
const maxLine = 3 * pageBytes / 2 // so that both texts of a file that was changed after it was staged fit into maxAnswer

// pageOf returns the bounds of a page of about room bytes from an offset. It begins and ends between lines, or inside a
// line longer than maxLine between two characters.
func pageOf(text string, offset, room int) (from, to int) {
	from = min(offset, len(text))
	if line := strings.LastIndexByte(text[:from], '\n') + 1; from-line <= maxLine {
		from = line
	}
	if len(text)-from <= room {
		return startOfRune(text, from), len(text)
	}
	to = from + room
	if i := strings.LastIndexByte(text[from:to], '\n'); i > 0 {
		to = from + i + 1
	} else if i := strings.IndexByte(text[to:], '\n'); i >= 0 && i <= maxLine {
		to += i + 1
	} else if i < 0 && len(text)-to <= maxLine {
		to = len(text)
	}
	return startOfRune(text, from), startOfRune(text, to)
}

// startOfRune returns the first index at or after at where a character begins.
func startOfRune(text string, at int) int {
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return at
}
