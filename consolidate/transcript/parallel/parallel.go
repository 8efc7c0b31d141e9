// Package parallel does work on many things by as many threads as there are, and reports its progress.
package parallel

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// watchKey is the key of the function to which the work under a context reports: done of so many, in each pass over
// them. It is called by several threads, and often.
type watchKey struct{}

// Do calls f for 0 … n-1, in that order, on as many threads as there are. It stops at the first
// error, and at the end of the context.
func Do(ctx context.Context, n int, f func(i int) error) error {
	return Workers(ctx, n, func(_, i int) error { return f(i) })
}

// Workers does the same, and passes f the number of the thread that calls it, from 0 on.
func Workers(ctx context.Context, n int, f func(worker, i int) error) error {
	var (
		wg     sync.WaitGroup
		next   atomic.Int64
		failed atomic.Pointer[error]
	)
	watch, _ := ctx.Value(watchKey{}).(func(done, of int))
	for worker := range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			// What is taken is done, whatever happens to later ones meanwhile.
			for failed.Load() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if watch != nil {
					watch(i, n)
				}
				err := ctx.Err()
				if err == nil {
					err = f(worker, i)
				}
				if err != nil {
					failed.CompareAndSwap(nil, &err)
				}
			}
		})
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

// Beat calls report at intervals with the number of the report and a description of the progress, which begins with
// title, until stop is called. No report follows the return of stop. The work must use the returned context.
func Beat(ctx context.Context, title string, every time.Duration, report func(n int, message string)) (within context.Context, stop func()) {
	var far atomic.Pointer[string]
	far.Store(&title)
	within = context.WithValue(ctx, watchKey{}, func(done, of int) {
		message := fmt.Sprintf("%s: %d of %d sessions", title, done, of)
		far.Store(&message)
	})
	ended, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for n := 1; ; n++ {
			select {
			case <-ended:
				return
			case <-tick.C:
				report(n, *far.Load())
			}
		}
	}()
	return within, sync.OnceFunc(func() {
		close(ended)
		<-done
	})
}
