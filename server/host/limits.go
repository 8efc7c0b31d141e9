package host

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Limits bound a dream that a host carries out in the background.
type Limits struct {
	MaxTurns   int
	MaxMinutes float64
	MaxUSD     float64  // 0: no limit but the others
	Model      string   // "": the host's own choice
	Command    []string // instead of the host that fired; {mcp_config} and {model} are filled in
}

// BackgroundLog is the log of the background dream that ran last, in the state folder of its memory.
const BackgroundLog = "background.log"

// HookLog is the log of hooks that failed, of all projects, in the folder above those of the memories; longer than MaxHookLog it is
// set aside.
const (
	HookLog    = "hook.log"
	MaxHookLog = 64 << 10
)

// Default limits: a dream over dozens of sessions takes some forty calls and a few minutes.
const (
	DefaultMaxTurns   = 80
	DefaultMaxMinutes = 30
	DefaultMaxUSD     = 2.0
)

// Bounds on the limits. A dream's lease expires after an hour without a call; a day is a slip of the pen.
const (
	maxTurns   = 10_000
	maxMinutes = 24 * 60
	maxUSD     = 1_000
	maxWords   = 100
)

// limits is what a layer says of the background. It has no flags nor variables: what is spent and what is started is decided
// in the person's own file alone.
type limits struct {
	turns        *int
	minutes, usd *float64
	model        *string
	command      []string
}

// decode takes the value of a key, or says what was wanted; known is false for a key that is none of ours.
func (l *limits) decode(key string, raw json.RawMessage) (want string, known bool) {
	switch key {
	case "max_turns":
		return assign(raw, &l.turns, func(n int) bool { return n >= 1 && n <= maxTurns }, "whole number between 1 and "+strconv.Itoa(maxTurns)), true
	case "max_minutes":
		return assign(raw, &l.minutes, func(m float64) bool { return m > 0 && m <= maxMinutes }, "number above 0 and up to "+strconv.Itoa(maxMinutes)), true
	case "max_usd":
		return assign(raw, &l.usd, func(u float64) bool { return u >= 0 && u <= maxUSD }, "number between 0 (no limit) and "+strconv.Itoa(maxUSD)), true
	case "model":
		return assign(raw, &l.model, func(s string) bool { return s != "" && !strings.HasPrefix(s, "-") }, "name of a model"), true
	case "background_command":
		var words []string
		if json.Unmarshal(raw, &words) != nil || len(words) == 0 || len(words) > maxWords || slices.Contains(words[:1], "") {
			return "list of a program and its arguments", true
		}
		l.command = words
		return "", true
	}
	return "", false
}

// chooseLimits takes each from the strongest layer that names it.
func (r *resolver) chooseLimits() error {
	r.Limits = Limits{MaxTurns: DefaultMaxTurns, MaxMinutes: DefaultMaxMinutes, MaxUSD: DefaultMaxUSD}
	sources := map[string]string{}
	for _, l := range slices.Backward(r.layers) {
		if v := l.limits.turns; v != nil {
			r.Limits.MaxTurns, sources["max_turns"] = *v, l.source
		}
		if v := l.limits.minutes; v != nil {
			r.Limits.MaxMinutes, sources["max_minutes"] = *v, l.source
		}
		if v := l.limits.usd; v != nil {
			r.Limits.MaxUSD, sources["max_usd"] = *v, l.source
		}
		if v := l.limits.model; v != nil {
			r.Limits.Model, sources["model"] = *v, l.source
		}
		if v := l.limits.command; v != nil {
			r.Limits.Command, sources["background_command"] = v, l.source
		}
	}
	for key, value := range map[string]string{
		"max_turns": strconv.Itoa(r.Limits.MaxTurns), "max_minutes": strconv.FormatFloat(r.Limits.MaxMinutes, 'g', -1, 64),
		"max_usd": strconv.FormatFloat(r.Limits.MaxUSD, 'g', -1, 64), "model": r.Limits.Model,
		"background_command": strings.Join(r.Limits.Command, " "),
	} {
		source := sources[key]
		if source == "" {
			source = "default"
		}
		r.Settings[key] = Setting{value, source}
	}
	return nil
}
