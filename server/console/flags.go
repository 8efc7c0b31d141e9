package console

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"dream-mcp/server/settings"
)

// global adds the flags that every verb has.
func (c *Command) global(f *pflag.FlagSet) {
	f.SortFlags = false
	f.Func("project", "`DIR` is the project, instead of the working directory", word(&c.Flags.Project))
	f.Func("memory-dir", "`DIR` is its memory, instead of the one that Claude Code uses for it", word(&c.Flags.MemoryDir))
	f.Func("transcripts", "`DIR` is a folder of transcripts to search; can be repeated", func(v string) error {
		c.Flags.Transcripts = append(c.Flags.Transcripts, v)
		return word(&v)(v)
	})
	f.Func("mode", "`MODE` is off, suggest, approve or auto", choice(&c.Flags.Mode, "mode", settings.Modes))
	f.Func("min-hours", "at least `N` hours between two dreams (24)", number(&c.Flags.MinHours, settings.MaxHours, "number"))
	f.Func("min-sessions", "at least `N` sessions between two dreams (5)", number(&c.Flags.MinSessions, settings.MaxSessions, "whole number"))
	f.BoolVar(&c.Flags.Unattended, "unattended", false, "serve: no person watches, so stricter rules apply to dreams")
	f.BoolVar(&c.Flags.Asked, "asked", false, "serve: a person asked for this dream at a terminal")
	f.MarkHidden("asked")
	f.BoolVar(&c.json, "json", false, "print JSON, for programs")
}

// word sets a text that is not empty.
func word(to *string) func(string) error {
	return func(v string) error {
		if *to = v; v == "" {
			return errors.New("it is empty")
		}
		return nil
	}
}

// number sets a number between 0 and most. kind names it in the error.
func number[T int | float64](to *T, most T, kind string) func(string) error {
	return func(v string) error {
		n, err := strconv.ParseFloat(v, 64)
		if err != nil || !(n >= 0 && n <= float64(most)) || float64(T(n)) != n {
			return fmt.Errorf("%q is not a %s between 0 and %v", v, kind, int(most))
		}
		*to = T(n)
		return nil
	}
}

// choice sets one of a few words of a kind.
func choice(to *string, kind string, choices []string) func(string) error {
	return func(v string) error {
		if *to = v; !slices.Contains(choices, v) {
			return oneOf(kind, v, choices)
		}
		return nil
	}
}

// rules adds names of rules, separated by commas.
func rules(to *[]string) func(string) error {
	return func(v string) error {
		names := strings.Split(v, ",")
		*to = append(*to, names...)
		return knownRules(names)
	}
}
