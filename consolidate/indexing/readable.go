package indexing

import (
	"errors"
	"fmt"
	"io/fs"

	"dream-mcp/consolidate/ops"
	"dream-mcp/memory"
)

// Readable fails with a *RequestError if a dream could not read and replace the index.
func Readable(dir *memory.Dir) error {
	_, err := dir.Read(memory.IndexName)
	hint := "no dream can change it: a person must make MEMORY.md a plain file again; nothing was started"
	switch {
	case err == nil, errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, memory.ErrTooLarge):
		hint = "no dream can change it: a person must shorten MEMORY.md (hosts load at most 25 KB); nothing was started"
	}
	return ops.Refuse(fmt.Sprintf("the index cannot be read: %v", err), hint)
}
