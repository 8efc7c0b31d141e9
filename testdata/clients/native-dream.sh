#!/usr/bin/env bash
# Claude Code's own dream, made to fire in the real client with a stand-in for the model: while it runs, none of ours begins, and
# status, its --watch and doctor say who dreams.
#   native-dream.sh PROGRAM WORKDIR
# PROGRAM is Claude Code's binary (2.1.197 and 2.1.330 dream); WORKDIR must not be there yet. Run by hand, in the root of this project: the
# program is large. It fails at the first thing that is not as it should be.
#
# The dream fires after a turn of an interactive session, so terminal.py types that turn. It needs autoDreamEnabled in the settings, the
# rollout flag in ~/.claude.json as the client caches it, and a session that may report: DISABLE_TELEMETRY and its like keep
# the flag from being read.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
program=$(realpath "$1")
mkdir "$2"
work=$(cd "$2" && pwd)
go build -o "$work/dream-mcp" .
: >"$work/api.jsonl"
HOLD=20 python3 "$here/model.py" "$work/port" "$work/api.jsonl" &
model=$!
client=
trap 'kill $model $client 2>/dev/null || true' EXIT
until [[ -s $work/port ]]; do sleep 0.1; done

die() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }

unset CLAUDECODE CLAUDE_PROJECT_DIR CLAUDE_CODE_SESSION_ID CLAUDE_CONFIG_DIR XDG_STATE_HOME
unset DISABLE_TELEMETRY DISABLE_ERROR_REPORTING CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC
export HOME=$work/home DISABLE_AUTOUPDATER=1 ANTHROPIC_BASE_URL=http://127.0.0.1:$(cat "$work/port") ANTHROPIC_API_KEY=dummy-key-for-a-stand-in-model
export TERM=xterm-256color
project=$work/project
mkdir -p "$HOME/.claude" "$project"
echo '{"autoDreamEnabled": true}' >"$HOME/.claude/settings.json"
cat >"$HOME/.claude.json" <<J
{"hasCompletedOnboarding": true, "theme": "dark", "customApiKeyResponses": {"approved": ["${ANTHROPIC_API_KEY: -20}"], "rejected": []},
 "cachedGrowthBookFeatures": {"tengu_onyx_plover": {"enabled": true, "available": true, "minSessions": 3, "minHours": 24}},
 "projects": {"$project": {"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}}}
J
folder=$HOME/.claude/projects/$(printf %s "$project" | sed 's/[^A-Za-z0-9]/-/g')
memory=$folder/memory
mkdir -p "$memory"
for n in 1 2 3 4; do
	id=0000000$n-0000-4000-8000-000000000000
	printf '{"parentUuid":null,"isSidechain":false,"userType":"external","cwd":"%s","sessionId":"%s","version":"2.1.330","type":"user","message":{"role":"user","content":"please add test %d"},"uuid":"1000000%d-0000-4000-8000-000000000000","timestamp":"2026-11-11T09:00:00.000Z"}\n' \
		"$project" "$id" "$n" "$n" >"$folder/$id.jsonl"
done
printf -- '---\nname: runner\ndescription: the test runner\nmetadata:\n  type: project\n---\n\nTests run with bun.\n' >"$memory/runner.md"
printf -- '- [Runner](runner.md) — bun\n' >"$memory/MEMORY.md"

cd "$project"
python3 "$here/terminal.py" 90 "$work/screen" "hello" "$program" &
client=$!
for _ in $(seq 600); do
	[[ ! -s $memory/.consolidate-lock ]] || break
	kill -0 $client 2>/dev/null || break
	sleep 0.1
done
[[ -s $memory/.consolidate-lock ]] || die "Claude Code did not dream: $(tail -c 2000 "$work/screen")"
echo "== Claude Code dreams; its lock says $(od -c "$memory/.consolidate-lock" | head -n 2)"
ours() { "$work/dream-mcp" "$@" --project "$project" || true; }
ours status | tee "$work/status.txt"
grep -q "Claude Code's process [0-9]* dreams" "$work/status.txt" || die "status does not say that Claude Code dreams"
ours doctor | tee "$work/doctor.txt"
grep -q "held by Claude Code's process" "$work/doctor.txt" || die "doctor does not say that Claude Code dreams"
ours status --watch --once | tee "$work/watch.txt"
grep -q "Claude Code" "$work/watch.txt" || die "status --watch does not say that Claude Code dreams"
request() { printf '{"jsonrpc":"2.0","id":%d,"method":"%s","params":%s}\n' "$@"; }
{
	request 1 initialize '{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"script","version":"1"}}'
	echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
	request 2 tools/call '{"name":"dream_orient","arguments":{"force":true}}'
	sleep 2
} | "$work/dream-mcp" serve --project "$project" | tee "$work/orient.txt"
grep -q 'the lock gate is closed: .*Claude Code' "$work/orient.txt" || die "a dream of ours began beside Claude Code's"
echo "== all as it should be"
