package digest

import (
	"context"
	"runtime"
	"sync/atomic"

	"dream-mcp/consolidate/transcript/said"
)

// Later builds digests in the background, before those that are waiting, with one thread fewer than there are.
func (ds *Store) Later(files []said.File) {
	if ds.none() || len(files) == 0 {
		return
	}
	first := make(map[string]bool, len(files))
	for _, f := range files {
		first[f.Path] = true
	}
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if ds.life.Err() != nil {
		return
	}
	for _, f := range ds.waiting {
		if !first[f.Path] {
			files = append(files, f)
		}
	}
	ds.waiting = files
	for ds.workers < max(1, runtime.GOMAXPROCS(0)-1) && ds.workers < len(files) {
		ds.workers++
		ds.done.Go(func() { ds.work() })
	}
}

// LaterOf is Later for the files that list returns. It calls list in the background.
func (ds *Store) LaterOf(list func(context.Context) ([]said.File, error)) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if ds.none() || ds.life.Err() != nil {
		return
	}
	ds.done.Go(func() {
		if files, err := list(ds.life); err == nil {
			ds.Later(files)
		}
	})
}

// work builds the digests that are waiting. The last worker sweeps the folder, once.
func (ds *Store) work() {
	for {
		ds.mu.Lock()
		full := ds.folder == "" && ds.size >= ds.limit
		if len(ds.waiting) == 0 || full || ds.life.Err() != nil {
			ds.workers--
			last := ds.workers == 0 && !ds.swept && !full && ds.life.Err() == nil
			ds.swept = ds.swept || last
			ds.mu.Unlock()
			if last {
				ds.Sweep()
			}
			return
		}
		f := ds.waiting[0]
		ds.waiting = ds.waiting[1:]
		ds.mu.Unlock()
		_, _ = ds.Fresh(ds.life, f, new(atomic.Int64)) // a search reports the error
	}
}

// Wait waits until nothing is built in the background.
func (ds *Store) Wait() { ds.done.Wait() }

// Close stops the building in the background and waits for it to end.
func (ds *Store) Close() {
	ds.mu.Lock()
	ds.waiting = nil
	ds.stop()
	ds.mu.Unlock()
	ds.done.Wait()
}
