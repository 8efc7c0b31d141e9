package console

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// flag is a row of the table of flags: it sets a switch, or takes a value.
type flag struct {
	name string
	set  func(c *Command)
	take func(c *Command, value string) error
}

var flags = []flag{
	{name: "--project", take: word(func(c *Command) *string { return &c.Flags.Project })},
	{name: "--memory-dir", take: word(func(c *Command) *string { return &c.Flags.MemoryDir })},
	{name: "--transcripts", take: func(c *Command, v string) error {
		if v == "" {
			return fmt.Errorf("it is empty")
		}
		c.Flags.Transcripts = append(c.Flags.Transcripts, v)
		return nil
	}},
	{name: "--mode", take: word(func(c *Command) *string { return &c.Flags.Mode })},
	{name: "--min-hours", take: func(c *Command, v string) error {
		n, err := strconv.ParseFloat(v, 64)
		if err != nil || !(n >= 0 && n <= maxHours) {
			return fmt.Errorf("%q is no number between 0 and %d", v, maxHours)
		}
		c.Flags.MinHours = n
		return nil
	}},
	{name: "--min-sessions", take: func(c *Command, v string) error {
		n, err := strconv.Atoi(v)
		if err != nil || n < 0 || n > maxSessions {
			return fmt.Errorf("%q is no whole number between 0 and %d", v, maxSessions)
		}
		c.Flags.MinSessions = n
		return nil
	}},
	{name: "--unattended", set: func(c *Command) { c.Flags.Unattended = true }},
	{name: "--json", set: func(c *Command) { c.JSON = true }},
	{name: "--keep", set: func(c *Command) { c.Keep = true }},
	{name: "--once", set: func(c *Command) { c.Once = true }},
	{name: "--at", take: word(func(c *Command) *string { return &c.At })},
	{name: "--list", set: func(c *Command) { c.List = true }},
	{name: "--explain", set: func(c *Command) { c.Lint.Explain = true }},
	{name: "--rule", take: rulesOf(func(c *Command) *[]string { return &c.Lint.Rules })},
	{name: "--ignore", take: rulesOf(func(c *Command) *[]string { return &c.Lint.Ignore })},
	{name: "--statistics", set: func(c *Command) { c.Lint.Statistics = true }},
	{name: "--format", take: func(c *Command, v string) error {
		if !slices.Contains([]string{"text", "json", "sarif", "github"}, v) {
			return fmt.Errorf("%q is none of text, json, sarif, github", v)
		}
		c.Lint.Format = v
		return nil
	}},
	{name: "--fix", set: func(c *Command) { c.Fix = true }},
	{name: "--accept", set: func(c *Command) { c.Accept = true }},
	{name: "--reject", set: func(c *Command) { c.Reject = true }},
	{name: "--background", set: func(c *Command) { c.Background = true }},
	{name: "--dry-run", set: func(c *Command) { c.DryRun = true }},
	{name: "--print", set: func(c *Command) { c.Print = true }},
	{name: "--help", set: func(c *Command) { c.Verb = "help" }},
	{name: "-h", set: func(c *Command) { c.Verb = "help" }},
	{name: "--version", set: func(c *Command) { c.Verb = "version" }},
}

// Bounds of the numbers: more is a slip of the keyboard. Hours are of ten years.
const (
	maxHours    = 10 * 365 * 24
	maxSessions = 1_000_000
)

// word takes a value as it is, into a field.
func word(field func(*Command) *string) func(*Command, string) error {
	return func(c *Command, v string) error {
		if v == "" {
			return fmt.Errorf("it is empty")
		}
		*field(c) = v
		return nil
	}
}

// rulesOf adds the rules that a value names, separated by commas.
func rulesOf(to func(c *Command) *[]string) func(c *Command, value string) error {
	return func(c *Command, value string) error {
		names := strings.Split(value, ",")
		*to(c) = append(*to(c), names...)
		return knownRules(names)
	}
}
