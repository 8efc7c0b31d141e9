#!/usr/bin/env bash
# What `dream-mcp install` does, seen by the real hosts in a fresh home: each lists a server that is
# connected, and after `uninstall` none.
#   install.sh SERVER WORKDIR FOLDER...
# SERVER is a built dream-mcp; WORKDIR is created again; each FOLDER holds programs called claude, codex, gemini, opencode,
# copilot, qwen or cline, and comes before PATH. Run by hand: the hosts are large.
set -euo pipefail
server=$1 work=$2
shift 2
rm -rf "$work/home"
mkdir -p "$work/home"
export HOME=$work/home
unset XDG_CONFIG_HOME XDG_STATE_HOME CLAUDE_CONFIG_DIR CODEX_HOME CLAUDECODE
for folder in "$@"; do PATH=$folder:$PATH; done
export PATH DISABLE_TELEMETRY=1 DISABLE_ERROR_REPORTING=1 DISABLE_AUTOUPDATER=1 \
	CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 GEMINI_CLI_TRUST_WORKSPACE=true
cd "$work/home"

declare -A ids=([claude]=claude-code)
for program in claude codex gemini opencode copilot qwen cline; do
	id=${ids[$program]:-$program}
	command -v "$program" >/dev/null || { echo "== $program is not there"; continue; }
	echo "== $program: $(timeout 60 "$program" --version 2>/dev/null | head -n 1)"
	"$server" install "$id"
	"$server" install "$id" | grep already
	timeout 100 "$program" mcp list 2>&1 | grep -i -A2 dream || echo "!! $program does not list it"
	"$server" uninstall "$id"
	! timeout 100 "$program" mcp list 2>&1 | grep -i dream-mcp || echo "!! $program still lists it"
done
find "$HOME" -name '*.before-dream-mcp-*'
"$server" install
