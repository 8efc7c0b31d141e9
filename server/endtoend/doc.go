// Package endtoend starts the real program and calls it as its users do: hosts over MCP, people in a terminal.
// It has tests only; the scripts that they run are in testdata/script at the top of the repository.
package endtoend
