package settings

// Limits bound a dream in the background.
type Limits struct {
	MaxTurns   int
	MaxMinutes float64
	MaxUSD     float64  // 0: no limit but the others
	Model      string   // "": the host's own choice
	Command    []string // instead of the host whose session called the hook; {mcp_config} and {model} are filled in
}

// BackgroundLog is the log of the last background dream, in the state folder of its memory.
const BackgroundLog = "background.log"

// HookLog is the log of failed hooks of all projects, in the folder above those of the memories. A log longer than
// MaxHookLog is renamed.
const (
	HookLog    = "hook.log"
	MaxHookLog = 64 << 10
)

// Default limits: a dream over dozens of sessions takes some forty calls and a few minutes.
const (
	defaultMaxTurns   = 80
	defaultMaxMinutes = 30.0
	defaultMaxUSD     = 2.0
)
