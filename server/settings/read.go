package settings

import (
	"bytes"
	"dream-mcp/consolidate/transcript/said"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/tailscale/hujson"
)

// Bounds of what is read. Settings have a few kilobytes. Claude Code's state file also holds prompts and caches of
// every project, and has megabytes. The files of git hold one path.
const (
	maxSettings = 1 << 20
	maxState    = 32 << 20
	maxPathFile = 8 << 10
)

// maxDepth bounds the brackets that are open in a file, as encoding/json does: hujson would exhaust the stack.
const maxDepth = 10_000

// ReadFile reads a regular file of at most limit bytes. It follows links, because people keep settings in other places,
// and never waits on a fifo.
func ReadFile(path string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("larger than %d bytes", limit)
	}
	return b, err
}

// missing reports whether err says that the file does not exist.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// object returns the JSON object in a file, which may have comments; nil if the file does not exist or is blank. A
// syntax error names the line and the byte.
func object(path string, limit int64) (map[string]json.RawMessage, error) {
	b, err := ReadFile(path, limit)
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	if len(bytes.TrimSpace(b)) == 0 {
		return nil, nil
	}
	if !json.Valid(b) {
		if v, err := ParseJSON(b); err == nil {
			v.Standardize()
			b = v.Pack()
		}
	}
	var keys map[string]json.RawMessage
	err = json.Unmarshal(b, &keys)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at := min(max(int(syntax.Offset)-1, 0), len(b))
		return nil, fmt.Errorf("line %d, byte %d: %w", 1+bytes.Count(b[:at], []byte("\n")), at+1, err)
	case errors.As(err, &kind):
		return nil, fmt.Errorf("holds a JSON %s instead of an object", kind.Value)
	}
	return keys, err
}

// ParseJSON parses JSON with comments and trailing commas. A comment may end the text without a newline. A syntax error
// names the line and the column.
func ParseJSON(text []byte) (hujson.Value, error) {
	depth := 0
	for _, b := range text {
		switch b {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		if depth > maxDepth {
			return hujson.Value{}, errors.New("nested too deeply")
		}
	}
	v, err := hujson.Parse(bytes.Clone(text)) // an edit of v writes to what was parsed
	if err == nil {
		return v, nil
	}
	newline := []byte("\n")
	if v, err := hujson.Parse(slices.Concat(text, newline)); err == nil {
		v.AfterExtra = bytes.TrimSuffix(v.AfterExtra, newline)
		return v, nil
	}
	return v, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
}

// names returns the entries of a directory, sorted; none if it cannot be read.
func names(dir string) []fs.DirEntry {
	entries, _, _ := said.ReadFolder(dir)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries
}
