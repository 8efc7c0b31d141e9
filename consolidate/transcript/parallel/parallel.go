// Package parallel does work on many things by as many threads as there are, and reports its progress.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

type watchKey struct{}

// Watched is a context under which work on sessions reports its progress: done of so many, in each pass over them. report
// is called by several threads, and often.
func Watched(ctx context.Context, report func(done, of int)) context.Context {
	return context.WithValue(ctx, watchKey{}, report)
}

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
