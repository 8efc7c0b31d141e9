package host_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"

	"dream-mcp/consolidate/host"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/testdata/fixture"
)

var update = flag.Bool("update", false, "write what is read of each fixture into it")

// each runs a test for each host whose sessions are read, with its fixture unpacked into a home directory.
func each(t *testing.T, test func(t *testing.T, h *host.Host, home string, a *txtar.Archive)) {
	for _, h := range host.List {
		if !h.Read() {
			continue
		}
		t.Run(h.ID, func(t *testing.T) {
			a, err := txtar.ParseFile(filepath.Join("testdata", h.ID+".txtar"))
			if err != nil {
				t.Fatalf("%v: a host whose sessions are read has a fixture", err)
			}
			home := t.TempDir()
			if err := fixture.Unpack(a, home, strings.NewReplacer()); err != nil {
				t.Fatal(err)
			}
			test(t, h, home, a)
		})
	}
}

// open returns the sessions of the fixture's project.
func open(h *host.Host, home string) *sessions.Project {
	o := sessions.Options{Roots: []string{fixture.Root, filepath.Join(home, fixture.Root)}}
	for i := range h.Sessions {
		of := &h.Sessions[i]
		store := of.Place.In(func(string) string { return "" }, home, "linux")
		if h.ID == string(said.ClaudeCode) {
			o.Projects = filepath.Join(store, "projects")
		} else {
			o.Homes = append(o.Homes, said.HostHome{Format: &of.Format, Home: store})
		}
	}
	return sessions.Open(o)
}

// read returns what is said in a session, each as "line speaker: text".
func read(t *testing.T, f said.File) (lines []string, skipped said.Skipped) {
	t.Helper()
	source, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	var all []*said.Entry
	r := said.NewReader(f, source.Lines(t.Context(), 1, 0, new(atomic.Int64)), func(u *said.Entry) error {
		all = append(all, u)
		return nil
	})
	r.Tools = func([]byte) bool { return true }
	if err := r.Run(); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(all, func(a, b *said.Entry) int { return cmp.Or(a.Line-b.Line, a.Place-b.Place) })
	for _, u := range all {
		if !utf8.ValidString(u.Text) || u.Text == "" {
			t.Errorf("text %q", u.Text)
		}
		stamp := "-"
		if u.Timed {
			stamp = u.Time.Format("01-02 15:04:05")
		}
		lines = append(lines, fmt.Sprintf("%d %s %s: %q %s", u.Line, stamp, u.Speaker, said.Visible(u.Text), u.CWD))
	}
	return lines, r.Skipped
}

// TestFixtures: of each fixture exactly what it says is read, and the store stays as it is.
func TestFixtures(t *testing.T) {
	each(t, func(t *testing.T, h *host.Host, home string, a *txtar.Archive) {
		before := tree(t, home)
		p := open(h, home)
		all, skipped, err := p.Sessions(t.Context(), time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		typed := 0
		for _, s := range slices.Backward(all) {
			fmt.Fprintf(&b, "session %s of %s, first %q\n", s.File.ID, s.Host, s.First)
			if string(s.Host) != h.ID {
				t.Errorf("session %s is of %s", s.ID, s.Host)
			}
			lines, skipped := read(t, s.File)
			for _, line := range lines {
				fmt.Fprintf(&b, "  %s\n", strings.ReplaceAll(line, home, ""))
				typed += strings.Count(line, " user: ")
			}
			for reason, n := range skipped {
				fmt.Fprintf(&b, "  %d %s\n", n, reason)
			}
		}
		remembered, err := p.Remembered(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range remembered {
			lines, _ := read(t, s.File)
			fmt.Fprintf(&b, "remembered in %s\n  %s\n", s.Branch, strings.Join(lines, "\n  "))
		}
		var left []string
		for reason, n := range skipped {
			left = append(left, fmt.Sprintf("left out: %d %s\n", n, reason))
		}
		slices.Sort(left)
		b.WriteString(strings.Join(left, ""))
		for _, u := range p.Unread(nil) {
			fmt.Fprintf(&b, "not read: %d: %s\n", u.Files, strings.ReplaceAll(u.Reason, home, ""))
		}
		if h.Sessions[0].Folders != nil && h.Sessions[0].Folders[0].Files == nil && h.Sessions[0].Collect == nil { // encrypted
			golden(t, h.ID, a, b.String())
			return
		}
		if n, err := p.Count(t.Context(), time.Time{}, 0); err != nil || n != sessions.Counted(all) || n == 0 {
			t.Errorf("the gate counts %d of %d sessions, %v", n, len(all), err)
		}
		if len(all) < 2 || typed < 4 {
			t.Errorf("a fixture has two sessions and some texts that were typed; this one %d and %d", len(all), typed)
		}
		if after := tree(t, home); after != before {
			t.Errorf("reading changed the store:\n%s\nbefore:\n%s", after, before)
		}
		golden(t, h.ID, a, b.String())
	})
}

// golden compares what is read with the last section of the fixture, or writes it there.
func golden(t *testing.T, id string, a *txtar.Archive, got string) {
	t.Helper()
	i := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == fixture.Want })
	if *update {
		if i < 0 {
			i = len(a.Files)
			a.Files = append(a.Files, txtar.File{Name: fixture.Want})
		}
		a.Files[i].Data = []byte(got)
		if err := os.WriteFile(filepath.Join("testdata", id+".txtar"), txtar.Format(a), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if i < 0 || string(a.Files[i].Data) != got {
		t.Errorf("read:\n%s\nIf that is right: go test ./consolidate/host -update", got)
	}
}

// tree lists the files below a folder with their times and contents.
func tree(t *testing.T, top string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		fmt.Fprintln(&b, path, info.Mode(), info.Size(), info.ModTime())
		if data, err := os.ReadFile(path); err == nil {
			fmt.Fprintf(&b, "%x\n", sha256.Sum256(data))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestCutFixtures: wherever a file of a store ends, or is damaged, what is read of it is bounded text.
func TestCutFixtures(t *testing.T) {
	each(t, func(t *testing.T, h *host.Host, home string, a *txtar.Archive) {
		for _, f := range a.Files {
			path := filepath.Join(home, f.Name)
			if f.Name == fixture.Want || strings.HasSuffix(path, ".sql") {
				continue
			}
			for n := 0; n < len(f.Data); n += len(f.Data)/4 + 1 {
				for _, damaged := range [][]byte{f.Data[:n], slices.Concat(f.Data[:n], []byte("\x00\xff{["), f.Data[n:])} {
					fixture.Overwrite(t, path, string(damaged))
					all, _, err := open(h, home).Sessions(context.Background(), time.Time{})
					if err != nil {
						t.Fatal(err)
					}
					for _, s := range all {
						if source, err := s.File.Open(); err == nil {
							source.Close()
							read(t, s.File)
						}
					}
				}
			}
			fixture.Overwrite(t, path, string(f.Data))
		}
	})
}

// The table in the README says what each host can do.
const readmePath = "../../README.md"

func TestREADME(t *testing.T) {
	readme, err := os.ReadFile(readmePath)
	if err != nil {
		t.Fatal(err)
	}
	yes := map[bool]string{true: "yes"}
	table := "| host | to ask for a dream | sessions read | hooks | background dreams |\n|---|---|---|---|---|\n"
	for _, h := range host.List {
		ask := "in words"
		switch {
		case h.Ask != "":
			ask = "`" + h.Ask + "`"
		case !h.Configured():
			ask = "(nothing to install)"
		}
		hooks := ""
		switch {
		case h.Hooks == nil:
		case h.Hooks.Note != "":
			hooks = "after you agree there"
		case h.Hooks.Silent:
			hooks = "start"
		default:
			hooks = "yes"
		}
		read := yes[h.Read()]
		if h.Read() && h.Tried != "" {
			read = "yes, " + h.Tried
		}
		if h.Read() && h.Sessions[0].Folders != nil && h.Sessions[0].Folders[0].Files == nil && h.Sessions[0].Collect == nil {
			read = "no: encrypted"
		}
		table += strings.ReplaceAll(fmt.Sprintf("| %s | %s | %s | %s | %s |\n", h.Name, ask, read, hooks, yes[h.Dreams()]), "  ", " ")
	}
	before, rest, _ := strings.Cut(string(readme), table[:strings.Index(table, "\n")+1])
	_, after, found := strings.Cut(rest, "\n\n")
	want := before + table + "\n" + after
	switch {
	case !found:
		t.Error("the README has no table of hosts")
	case *update:
		if err := os.WriteFile(readmePath, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	case string(readme) != want:
		t.Error("the table of hosts in the README is out of date: go test ./consolidate/host -update")
	}
}
