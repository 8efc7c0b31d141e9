package host

import (
	"encoding/json"
	"errors"
)

// ErrNoProgram is the error of a host that cannot be started.
var ErrNoProgram = errors.New("no installed program can run a dream")

// RunOptions say how a host is to run a background dream.
type RunOptions struct {
	Server  []string          // the command line of our server
	Env     map[string]string // what our server needs of the environment; a host may not pass it on
	Project string
	Own     string // a folder for settings that the host reads from files; it need not exist

	MaxTurns int
	MaxUSD   float64 // 0: no limit
	Model    string  // "": the host's own choice
}

// Config returns the configuration of our server, as most hosts read it.
func (r RunOptions) Config() string {
	return quoted(map[string]any{"mcpServers": map[string]any{"dream": map[string]any{
		"type": "stdio", "command": r.Server[0], "args": r.Server[1:], "env": r.Env,
	}}})
}

// model returns the arguments that choose the model.
func (r RunOptions) model() []string {
	if r.Model == "" {
		return nil
	}
	return []string{"--model", r.Model}
}

// quoted writes texts as JSON, which TOML takes too.
func quoted(v any) string {
	data, _ := json.Marshal(v) // texts are always written
	return string(data)
}
