package host

import (
	"bytes"
	"io"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"

	"dream-mcp/consolidate/transcript/said"
)

// dateOf returns the time of a number of milliseconds since 1970; 1970 itself if no calendar has it: it could not be
// written as JSON.
func dateOf(ms int64) time.Time {
	if t := time.UnixMilli(ms); t.UTC().Year() >= 1970 && t.UTC().Year() <= 9998 { // a zone may be a day ahead
		return t
	}
	return time.UnixMilli(0)
}

// stamp returns a time as a record has it; nil for 1970.
func stamp(t time.Time) said.Raw {
	if t.Unix() == 0 {
		return nil
	}
	return said.Quoted(t.UTC().Format("2006-01-02T15:04:05.000Z07:00"))
}

// timeOf returns the time of a number of milliseconds, as a record has it; nil for another value.
func timeOf(v said.Raw) said.Raw {
	ms, err := strconv.ParseFloat(string(v), 64)
	if err != nil || ms <= 0 || ms > 1e14 {
		return nil
	}
	return stamp(dateOf(int64(ms)))
}

// folderID returns the name of the folder that a session's file is in.
func folderID(file string) string {
	if id := path.Base(path.Dir(file)); said.IsPlainName(id) && id != "." {
		return id
	}
	return ""
}

// fileID returns the name of a session's file without its ending, if that is a UUID.
func fileID(file string) string {
	if id := said.Stem(file); said.IsUUID(id) {
		return id
	}
	return ""
}

// typedText returns the block of a text that a person typed.
func typedText(text string) []said.Block {
	return []said.Block{{Type: said.TextType, Text: said.Quoted(text)}}
}

// usedFunction adds a call as OpenAI's API writes it: its arguments are a text.
func usedFunction(r *said.Record, call said.Raw) {
	if f := call.Field("function"); !f.Field("name").Empty() {
		r.Used(call.Field("id"), f.Field("name"), inText(f.Field("arguments")))
	}
}

// inText returns the JSON value in a text; nil if there is none.
func inText(text said.Raw) said.Raw {
	if v := said.Raw(text.Text()); v.IsWhole() {
		return v
	}
	return nil
}

// functionOutput returns what a tool answered, as Gemini's API writes it: of each functionResponse its output or error.
func functionOutput(result said.Raw) string {
	var texts []string
	result.Items(func(item said.Raw) {
		if item.IsString() {
			texts = append(texts, item.Text())
			return
		}
		if text := item.Field("text"); !text.Empty() {
			texts = append(texts, text.Text())
		}
		item.Field("functionResponse").Field("response").Each(func(key string, v said.Raw) {
			if (key == "output" || key == "error") && !v.Empty() {
				texts = append(texts, v.Text())
			}
		})
	})
	return strings.Join(texts, "\n")
}

// usedTools adds the calls of a content that are a block of their own.
func usedTools(r *said.Record, content said.Raw) {
	content.Items(func(item said.Raw) {
		if item.Field("type").Is("toolCall") {
			r.Used(item.Field("id"), item.Field("name"), item.Field("arguments"))
		}
	})
}

// asTyped is a strip function that removes nothing.
func asTyped(text string) string { return text }

// trimmed returns a file without what may be around its value.
func trimmed(text []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")))
}

// pathOf returns the path of a directory that is a path or a URI.
func pathOf(dir string) string {
	at, err := url.Parse(dir)
	if err != nil || len(at.Scheme) < 2 { // C: is not one
		return dir
	}
	if dir = at.Path; len(dir) > 2 && dir[2] == ':' { // /c:/lamp
		dir = dir[1:]
	}
	return dir
}

// element returns what is in the first element of a name in a text, and whether there is one.
func element(text, name string) (inner string, ok bool) {
	_, rest, ok := strings.Cut(text, "<"+name)
	if !ok {
		return "", false
	}
	_, rest, ok = strings.Cut(rest, ">")
	inner, _, _ = strings.Cut(rest, "</"+name+">")
	return inner, ok
}

// dashed returns the name that some hosts give the folder of a directory: a dash in place of each character that is not
// an ASCII letter or digit.
func dashed(dir string) string {
	return strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII || !said.IsAlphanumeric(byte(r)) {
			return '-'
		}
		return r
	}, dir)
}

// oursByName returns a function that reports whether a folder, so many levels above the one with the sessions, has the
// name of a directory of the project, or of one below it. name makes the name of a directory.
func oursByName(level int, name func(dir string) string) func(home string, roots []string) func(string) bool {
	return func(_ string, roots []string) func(string) bool {
		return func(folder string) bool {
			folder = strings.ReplaceAll(folder, `\`, "/")
			for range level {
				folder = path.Dir(folder)
			}
			has := strings.ToLower(path.Base(folder))
			for _, root := range roots {
				if strings.HasPrefix(has, strings.ToLower(name(root))) {
					return true
				}
			}
			return false
		}
	}
}

// Bounds of what is read of a file that names the project of sessions, and of one that lists projects or has facts of a
// session.
const (
	maxMarker   = 4 << 10
	maxProjects = 1 << 20
)

// readStart returns the beginning of a regular file; nothing where there is none.
func readStart(path string, most int64) []byte {
	f, err := said.OpenFile(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, most))
	return text
}

// jsonIn returns the value in a JSON file; nil where there is none.
func jsonIn(path string, most int64) said.Raw {
	if v := said.Raw(trimmed(readStart(path, most))); v.IsWhole() {
		return v
	}
	return nil
}
