package listing

import (
	"context"
	"crypto/rand"
	"dream-mcp/consolidate/transcript/search"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
)

// maxLists is how many lists are kept, the newest.
const maxLists = 4

// Touch returns the passages that an utterance touches, as file:line; nil if that is not asked for. It is called with
// texts as they are shown.
type Touch func(text string) []string

// A Book keeps lists, so that a cursor finds the one that it is of. Its zero value is empty. It is safe for
// concurrent use.
type Book struct {
	mu    sync.Mutex
	lists []*List
}

// First returns the first page of a list and keeps the list. A page has at most pageBytes of text and, where limit is
// above 0, limit utterances; at least one line.
func (b *Book) First(ctx context.Context, store *search.Store, l *List, pageBytes, limit int) (Page, error) {
	var id [3]byte
	rand.Read(id[:])
	l.id, l.pageBytes, l.limit = hex.EncodeToString(id[:]), pageBytes, limit
	b.mu.Lock()
	b.lists = append(b.lists[max(0, len(b.lists)-maxLists+1):], l)
	b.mu.Unlock()
	return l.pageFrom(ctx, store, position{}, 1, pageBytes, limit)
}

// Next returns the page that a cursor names. Without a limit, that of the first page holds, and its size. A cursor of a
// list that is not kept any more fails with a *search.QueryError.
func (b *Book) Next(ctx context.Context, store *search.Store, cursor string, pageBytes, limit int) (Page, error) {
	id, rest, _ := strings.Cut(cursor, "-")
	var p position
	var number int
	n, err := fmt.Sscanf(rest, "%d-%d-%d", &p.segment, &p.at, &number)
	b.mu.Lock()
	var l *List
	for _, one := range b.lists {
		if one.id == id {
			l = one
		}
	}
	b.mu.Unlock()
	if l == nil || err != nil || n != 3 || number < 2 || !l.has(p) {
		return Page{}, &search.QueryError{Field: "cursor", Message: "it is not of a listing that is still known: list again without it; that of a search goes with its pattern"}
	}
	if limit == 0 {
		pageBytes, limit = l.pageBytes, l.limit
	}
	return l.pageFrom(ctx, store, p, number, pageBytes, limit)
}

// has reports whether a page may begin at a position.
func (l *List) has(p position) bool {
	return p.segment >= 0 && p.segment < len(l.segments) && p.at >= 0 && p.at < l.segments[p.segment].to
}
