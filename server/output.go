package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"dream-mcp/memory/secret"
)

// maxWaiting is how many items may be queued before queue blocks. It is large, since
// a client may write all its requests before it reads an answer.
const maxWaiting = 4096

// errUnread is returned when the client holds its end open and reads nothing.
var errUnread = errors.New("the client does not read what it is sent")

// An item is one line to be written: bytes, or a notification that note will
// deliver.
type item struct {
	line []byte
	note <-chan mcp.JSONRPCNotification
	call *call // the call that it belongs to, or nil
}

// An output is the only writer: a queue and the goroutine that empties it.
type output struct {
	items     chan item
	stopping  chan struct{}
	done      chan struct{} // closed when pump has ended
	err       error         // the first failure; to be read when done
	abandoned atomic.Bool
	Options
}

func newOutput(o Options) *output {
	return &output{Options: o, items: make(chan item, maxWaiting), stopping: make(chan struct{}), done: make(chan struct{})}
}

// queue adds an item. After stop it drops it.
func (w *output) queue(it item) {
	select {
	case w.items <- it:
	case <-w.stopping:
	}
}

// stop writes what is queued and ends the writer, waiting for at most limit. It
// reports the first failure to write.
func (w *output) stop(limit time.Duration) error {
	close(w.stopping)
	select {
	case <-w.done:
		return w.err
	case <-time.After(limit):
		w.abandoned.Store(true)
		return errUnread
	}
}

// pump writes items until stop, and calls failed at the first failure; from then
// on it only empties the queue, so that queue does not block.
func (w *output) pump(out io.Writer, failed func()) {
	defer close(w.done)
	buf := bufio.NewWriterSize(out, 64<<10)
	check := func(err error) {
		if err != nil && w.err == nil {
			w.err = fmt.Errorf("write to the client: %w", err)
			failed()
		}
	}
	write := func(it item) {
		line := w.render(it)
		if line == nil || w.err != nil || w.abandoned.Load() {
			return
		}
		_, err := buf.Write(append(w.Allowed().ShowJSON(line, isHandle), '\n'))
		check(err)
	}
	for {
		select {
		case it := <-w.items:
			write(it)
			continue
		default:
		}
		if w.err == nil && !w.abandoned.Load() {
			check(buf.Flush()) // the queue is empty
		}
		select {
		case it := <-w.items:
			write(it)
		case <-w.stopping:
			if len(w.items) == 0 {
				return
			}
		}
	}
}

// handles are the members that one side sends back to the other unchanged, with their depth in a message.
var handles = map[string]int{"id": 1, "requestId": 2, "progressToken": 2, "requestState": 2}

func isHandle(depth int, key string) bool { return handles[key] == depth }

// render returns the bytes of an item, or nil when there is nothing to write.
// It drops what belongs to a cancelled call.
func (w *output) render(it item) []byte {
	if it.call != nil && it.call.cancelled.Load() {
		return nil
	}
	if it.note == nil {
		return it.line
	}
	var n mcp.JSONRPCNotification
	select {
	case n = <-it.note:
	case <-it.call.ended: // it may have sent before it ended
		select {
		case n = <-it.note:
		default:
			return nil
		}
	}
	line, err := secret.JSON(n)
	if err != nil {
		w.Log.LogAttrs(context.Background(), slog.LevelError, "notification not sent",
			slog.String("method", n.Method), slog.Any("error", err))
		return nil
	}
	return line
}
