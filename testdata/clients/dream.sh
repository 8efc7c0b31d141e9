#!/usr/bin/env bash
# A person runs a dream in their terminal, with real hosts and a stand-in for the model: `dream-mcp dream` asks which host, shows the dream
# while it runs, and asks what lands.
#   dream.sh CLAUDE GEMINI WORKDIR
# CLAUDE and GEMINI are the hosts' binaries; WORKDIR must not be there yet. Needs tmux. Run by hand, in the root of this project. It fails
# at the first thing that is not as it should be.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir "$3"
work=$(cd "$3" && pwd)
mkdir -p "$work/bin" "$work/home/.gemini" "$work/project"
ln -s "$(realpath "$1")" "$work/bin/claude"
ln -s "$(realpath "$2")" "$work/bin/gemini"
go build -o "$work/bin/dream-mcp" .
PAUSE=1 python3 "$here/model.py" "$work/port" "$work/api.jsonl" &
model=$!
trap 'tmux -S "$work/tmux" kill-server 2>/dev/null || true; kill $model' EXIT
until [[ -s $work/port ]]; do sleep 0.1; done

unset CLAUDECODE CLAUDE_PROJECT_DIR CLAUDE_CODE_SESSION_ID
url=http://127.0.0.1:$(cat "$work/port")
export HOME=$work/home PATH="$work/bin:$PATH" DISABLE_TELEMETRY=1 DISABLE_ERROR_REPORTING=1 DISABLE_AUTOUPDATER=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 \
	ENABLE_TOOL_SEARCH=false ANTHROPIC_BASE_URL=$url ANTHROPIC_API_KEY=dummy GEMINI_CLI_TRUST_WORKSPACE=true GOOGLE_GEMINI_BASE_URL=$url GEMINI_API_KEY=dummy
echo '{"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": false}}' >"$HOME/.gemini/settings.json"
cd "$work/project"

die() { screen; printf 'FAILED: %s\n' "$*" >&2; exit 1; }
screen() { tmux -S "$work/tmux" capture-pane -p | sed '/^ *$/d'; }
keys() { tmux -S "$work/tmux" send-keys "$@"; }
# sees WORDS: the screen shows WORDS within a minute.
sees() {
	for _ in $(seq 600); do
		! screen | grep -qF "$1" || return 0
		sleep 0.1
	done
	die "not seen: $1"
}

dream-mcp install claude-code
timeout 100 claude -p "no, we use bun now, not npm" </dev/null >/dev/null
memory=$(dream-mcp status --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["memory_dir"])')
mkdir -p "$memory"
printf -- '---\nname: package-manager\ndescription: which package manager the project uses\nmetadata:\n  type: project\n---\n\nThe project uses npm.\n' >"$memory/project_package-manager.md"
printf -- '- [Package manager](project_package-manager.md) — npm\n' >"$memory/MEMORY.md"
cp -r "$memory" "$work/before"
unchanged() { diff -r -x .dream.lock -x .consolidate-lock "$work/before" "$memory" || die "the memory is not as it was"; }

tmux -S "$work/tmux" new-session -d -x 100 -y 45 "exec bash --norc"
# dreams ANSWER NAME: a dream from the question to the proposal.
dreams() {
	keys "clear; dream-mcp dream $2" Enter
	if [[ -n $1 ]]; then
		sees "Which one should dream?"
		screen
		keys "$1" Enter
	fi
	sees "staged: updated project_package-manager.md"
	sees "+The project uses bun, not npm."
	screen
	sees "Land it?"
	screen
	unchanged
}

echo "== the first time it asks, and the person declines"
dreams 1 ""
keys n Enter
sees "The memory is as it was"
unchanged

echo "== the second time it knows, and the person agrees"
dreams "" ""
screen | grep -q "Dreaming with claude-code" || die "another host dreamt"
keys y Enter
sees "To undo it: dream-mcp undo"
grep -q 'uses bun' "$memory/project_package-manager.md" || die "it did not land"
dream-mcp diff --out "$work/report.html"
grep -q 'landed' "$work/report.html" || die "the report does not say that it landed"
dream-mcp undo
unchanged

echo "== another host, by its name"
dreams "" gemini
keys q Enter
sees "It continues to wait"
dream-mcp review --accept
grep -q 'uses bun' "$memory/project_package-manager.md" || die "it did not land"
dream-mcp undo
unchanged
echo "== all as it should be"
