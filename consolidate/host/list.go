package host

// List has all hosts, in the order of the help.
var List = []*Host{
	&claudeCode, &claudeDesktop, &codex, &gemini, &cursor, &vsCode, &openClaw, &openCode, &copilot, &qwen, &cline, &kilo, &crush, &pi, &kimi, &droid, &letta, &goose, &hermes, &continueDev, &roo, &zed, &aider, &antigravity, &windsurf,
}
