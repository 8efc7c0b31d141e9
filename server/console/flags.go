package console

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// Bounds of the numbers: more is a slip of the keyboard. Hours are of ten years.
const (
	maxHours    = 10 * 365 * 24
	maxSessions = 1_000_000
)

// global adds the flags of every verb.
func (c *Command) global(f *pflag.FlagSet) {
	f.SortFlags = false
	f.Var(&word{&c.Flags.Project, "DIR"}, "project", "the project, instead of the working directory")
	f.Var(&word{&c.Flags.MemoryDir, "DIR"}, "memory-dir", "its memory, instead of the one that Claude Code uses for it")
	f.Var(&words{&c.Flags.Transcripts}, "transcripts", "a folder of transcripts to search; repeatable")
	f.Var(&word{&c.Flags.Mode, "MODE"}, "mode", "off, suggest, approve or auto")
	f.Var(&hours{&c.Flags.MinHours}, "min-hours", "hours between two dreams (24)")
	f.Var(&sessions{&c.Flags.MinSessions}, "min-sessions", "sessions between two dreams (5)")
	f.BoolVar(&c.Flags.Unattended, "unattended", false, "serve: nobody watches, so stricter rules apply to a dream")
	f.BoolVar(&c.JSON, "json", false, "print JSON, for programs")
}

// The types of values. String is what the library calls for a default, which the descriptions name;
// Type is the placeholder in the help.

// A word is not empty.
type word struct {
	to   *string
	name string
}

func (w *word) String() string { return "" }
func (w *word) Type() string   { return w.name }

func (w *word) Set(v string) error {
	if v == "" {
		return errors.New("it is empty")
	}
	*w.to = v
	return nil
}

// words are values of a flag that is repeated.
type words struct{ to *[]string }

func (w *words) String() string { return "" }
func (w *words) Type() string   { return "DIR" }

func (w *words) Set(v string) error {
	if v == "" {
		return errors.New("it is empty")
	}
	*w.to = append(*w.to, v)
	return nil
}

type hours struct{ to *float64 }

func (h *hours) String() string { return "" }
func (h *hours) Type() string   { return "N" }

func (h *hours) Set(v string) error {
	n, err := strconv.ParseFloat(v, 64)
	if err != nil || !(n >= 0 && n <= maxHours) {
		return fmt.Errorf("%q is not a number between 0 and %d", v, maxHours)
	}
	*h.to = n
	return nil
}

type sessions struct{ to *int }

func (s *sessions) String() string { return "" }
func (s *sessions) Type() string   { return "N" }

func (s *sessions) Set(v string) error {
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 || n > maxSessions {
		return fmt.Errorf("%q is not a whole number between 0 and %d", v, maxSessions)
	}
	*s.to = n
	return nil
}

// rules are names of rules, separated by commas.
type rules struct{ to *[]string }

func (r *rules) String() string { return "" }
func (r *rules) Type() string   { return "RULE,…" }

func (r *rules) Set(v string) error {
	names := strings.Split(v, ",")
	*r.to = append(*r.to, names...)
	return knownRules(names)
}

// format is how lint prints its findings.
type format struct{ to *string }

func (f *format) String() string { return "" }
func (f *format) Type() string   { return "FORMAT" }

func (f *format) Set(v string) error {
	if !slices.Contains([]string{"text", "json", "sarif", "github"}, v) {
		return fmt.Errorf("%q is not one of text, json, sarif, github", v)
	}
	*f.to = v
	return nil
}
