package console

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// Limits of numbers, against typing errors. maxHours is ten years.
const (
	maxHours    = 10 * 365 * 24
	maxSessions = 1_000_000
)

// global adds the flags that every verb has.
func (c *Command) global(f *pflag.FlagSet) {
	f.SortFlags = false
	f.Var(word(&c.Flags.Project, "DIR"), "project", "the project, instead of the working directory")
	f.Var(word(&c.Flags.MemoryDir, "DIR"), "memory-dir", "its memory, instead of the one that Claude Code uses for it")
	f.Var(words(&c.Flags.Transcripts, "DIR"), "transcripts", "a folder of transcripts to search; can be repeated")
	f.Var(word(&c.Flags.Mode, "MODE"), "mode", "off, suggest, approve or auto")
	f.Var(hours(&c.Flags.MinHours), "min-hours", "hours between two dreams (24)")
	f.Var(sessions(&c.Flags.MinSessions), "min-sessions", "sessions between two dreams (5)")
	f.BoolVar(&c.Flags.Unattended, "unattended", false, "serve: no person watches, so stricter rules apply to dreams")
	f.BoolVar(&c.Flags.Asked, "asked", false, "serve: a person asked for this dream at a terminal")
	f.MarkHidden("asked")
	f.BoolVar(&c.JSON, "json", false, "print JSON, for programs")
}

// value is a flag that checks its argument. Its name is the placeholder in the help.
type value struct {
	name string
	set  func(string) error
}

func (v *value) String() string        { return "" } // the descriptions name the defaults
func (v *value) Type() string          { return v.name }
func (v *value) Set(text string) error { return v.set(text) }

// word is a text that is not empty.
func word(to *string, name string) *value {
	return each(name, func(v string) { *to = v })
}

// words are the texts of a flag that may be repeated.
func words(to *[]string, name string) *value {
	return each(name, func(v string) { *to = append(*to, v) })
}

// each is a flag that passes its arguments to take.
func each(name string, take func(string)) *value {
	return &value{name, func(v string) error {
		if take(v); v == "" {
			return errors.New("it is empty")
		}
		return nil
	}}
}

// choice is one of a few words.
func choice(to *string, name string, choices []string) *value {
	return &value{name, func(v string) error {
		if *to = v; !slices.Contains(choices, v) {
			return fmt.Errorf("%q is not one of %s", v, strings.Join(choices, ", "))
		}
		return nil
	}}
}

func hours(to *float64) *value {
	return &value{"N", func(v string) (err error) {
		if *to, err = strconv.ParseFloat(v, 64); err != nil || !(*to >= 0 && *to <= maxHours) {
			return fmt.Errorf("%q is not a number between 0 and %d", v, maxHours)
		}
		return nil
	}}
}

func sessions(to *int) *value {
	return &value{"N", func(v string) (err error) {
		if *to, err = strconv.Atoi(v); err != nil || *to < 0 || *to > maxSessions {
			return fmt.Errorf("%q is not a whole number between 0 and %d", v, maxSessions)
		}
		return nil
	}}
}

// rules are names of rules, separated by commas.
func rules(to *[]string) *value {
	return &value{"RULES", func(v string) error {
		names := strings.Split(v, ",")
		*to = append(*to, names...)
		return knownRules(names)
	}}
}
