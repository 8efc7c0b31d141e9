package settings

import (
	"fmt"
	"strings"

	"dream-mcp/consolidate"
)

// findEnabled decides whether dreams are on: by the switches of memory, then by our mode, then by Claude Code's switch
// of dreams.
func (r *resolver) findEnabled() {
	if r.Enabled = r.memoryOn(); !r.Enabled.On {
		r.Enabled.MemoryOff = true
		return
	}
	if r.Mode == ModeOff {
		r.Enabled = consolidate.Switch{Why: fmt.Sprintf("the mode is off (%s)", r.ModeSource)}
		return
	}
	all := trusted[bool](r, "autoDreamEnabled")
	if len(all) == 0 || all[0].value {
		return
	}
	off := fmt.Sprintf("autoDreamEnabled is false in %q", all[0].path)
	if r.chosen {
		r.Enabled.Why = fmt.Sprintf("mode %s (%s) overrides autoDreamEnabled in %q", r.Mode, r.ModeSource, all[0].path)
	} else {
		r.Enabled = consolidate.Switch{Why: off}
	}
}

// memoryOn returns whether memory is on, by the first switch that is set, in Claude Code's order.
func (r *resolver) memoryOn() consolidate.Switch {
	off := func(name string) (consolidate.Switch, bool) {
		value, source := r.variable(name)
		return consolidate.Switch{Why: fmt.Sprintf("%s is %q (%s)", name, clip(value), source)}, truthy(value)
	}
	if s, ok := off("CLAUDE_CODE_SAFE_MODE"); ok {
		return s
	}
	const disable = "CLAUDE_CODE_DISABLE_AUTO_MEMORY"
	value, source := r.variable(disable)
	// A background dream has it set, so that its session writes no memories; that is not the person's choice.
	own := source == fromEnvironment && truthy(r.env.Getenv("DREAM_BACKGROUND"))
	why := fmt.Sprintf("%s is %q (%s)", disable, clip(value), source)
	switch {
	case falsy(value):
		return consolidate.Switch{On: true, Why: why + ", which forces memory on"}
	case truthy(value) && !own:
		return consolidate.Switch{Why: why}
	}
	for _, name := range []string{"CLAUDE_CODE_DISABLE_CLAUDE_MDS", "CLAUDE_CODE_SIMPLE"} {
		if s, ok := off(name); ok {
			return s
		}
	}
	if s, ok := off("CLAUDE_CODE_REMOTE"); ok {
		if dir, _ := r.variable("CLAUDE_CODE_REMOTE_MEMORY_DIR"); dir == "" {
			s.Why += " without CLAUDE_CODE_REMOTE_MEMORY_DIR: nothing written here would last"
			return s
		}
	}
	for _, v := range values[bool](r, "autoMemoryEnabled") {
		// A project that is not trusted may switch memory off, but not on.
		if v.value && !v.trusted() {
			r.distrust("autoMemoryEnabled", v.path)
			continue
		}
		return consolidate.Switch{On: v.value, Why: fmt.Sprintf("autoMemoryEnabled is %t in %q", v.value, v.path)}
	}
	return consolidate.Switch{On: true, Why: "by default"}
}

// fromEnvironment is the source of a variable of this process.
const fromEnvironment = "environment"

func truthy(s string) bool {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "1", "true", "yes", "on":
		return true
	}
	return false
}

func falsy(s string) bool {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "0", "false", "no", "off":
		return true
	}
	return false
}
