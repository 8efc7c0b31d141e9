// Command bench measures how fast transcripts are searched, beside grep and ripgrep:
//
//	go run -C .ci ./bench [-size 1GB] [-sessions 1000] [-runs 5]
//
// It writes transcripts of a project that never was into a temporary folder, the same for the same
// seed and in the proportions of real transcripts, and removes them at its end. For each class of queries it
// runs `grep -rn … | tail -50`, `rg -n … | tail -50` and our own search, in turn, and prints the
// medians and their ratios to ripgrep's as a table in Markdown.
//
// Stopped by a signal it removes its folder; killed, it does not. The figures are those of
// a warm cache on the machine as it is: compare ratios of one run, not times of two.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// options are the flags of a run.
type options struct {
	size     int64
	sessions int
	seed     uint64
	runs     int
	cpu      bool // measure the time of processors, not of the clock
	only     string
	probe    string // of a child: what it searches, to tell how much memory that takes
	projects string // of a child: where
}

func run(ctx context.Context, args []string, out io.Writer) error {
	o := options{size: 1 << 30}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.Func("size", "bytes of all transcripts, such as 50MB or 10GB (default 1GB)", func(s string) (err error) {
		o.size, err = parseSize(s)
		return err
	})
	flags.IntVar(&o.sessions, "sessions", 1000, "number of sessions")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of what is generated")
	flags.IntVar(&o.runs, "runs", 5, "runs of each query")
	flags.BoolVar(&o.cpu, "cpu", false, "measure processor time: on a machine that others use, ratios of it vary less")
	flags.StringVar(&o.only, "only", "", "classes of queries whose names hold this text")
	flags.StringVar(&o.probe, "probe", "", "used by the command itself, with -projects")
	flags.StringVar(&o.projects, "projects", "", "used by the command itself, with -probe")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case o.probe != "":
		return probe(ctx, o, out)
	case o.sessions < 1 || o.runs < 1:
		return fmt.Errorf("%d sessions, %d runs: there must be one at least", o.sessions, o.runs)
	}
	folder, err := os.MkdirTemp("", "transcript-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if free, ok := freeBytes(folder); ok && free/2 < o.size {
		return fmt.Errorf("%q has %d MB free, twice the %d MB of the transcripts are wanted", folder, free>>20, o.size>>20)
	}
	return measure(ctx, o, folder, out)
}

// measure generates and prints everything.
func measure(ctx context.Context, o options, folder string, out io.Writer) error {
	o.projects = filepath.Join(folder, "projects")
	start := time.Now()
	c, err := generate(ctx, o.projects, o.seed, o.sessions, o.size)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d sessions, %.0f MB, %d lines, generated in %.1f s (seed %d); %d CPUs, %s/%s, %s; medians of %d runs, warm.\n\n",
		o.sessions, float64(c.size)/1e6, c.lines, time.Since(start).Seconds(), o.seed, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH,
		runtime.Version(), o.runs)
	b := bench{options: o, corpus: c, state: filepath.Join(folder, "state"), out: out}
	for _, name := range []string{"grep", "rg"} {
		if _, err := exec.LookPath(name); err != nil {
			fmt.Fprintf(out, "%s is not installed: its column is empty, and so are the ratios to it.\n\n", name)
			continue
		}
		b.tools = append(b.tools, name)
	}
	return b.run(ctx)
}

func parseSize(text string) (int64, error) {
	for i, unit := range []string{"KB", "MB", "GB"} {
		if digits, ok := strings.CutSuffix(strings.ToUpper(text), unit); ok {
			n, err := strconv.ParseInt(digits, 10, 32)
			if err != nil || n < 1 {
				return 0, fmt.Errorf("%q is not a size", text)
			}
			return n << (10 * (i + 1)), nil
		}
	}
	return 0, fmt.Errorf("%q does not end in KB, MB or GB", text)
}
