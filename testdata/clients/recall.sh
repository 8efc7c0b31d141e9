#!/usr/bin/env bash
# Memories that arrive unasked, with the real hosts and a stand-in for the model: what one host's session teaches, another host's model
# receives at a session's start and at a prompt that calls for it, and nothing where nothing fits. Then the guard: what an open dream must not do
# is denied, and is not when it has ended.
#   recall.sh FOLDER WORKDIR
# FOLDER holds the programs claude, codex, gemini and opencode (a symbolic link each will do); WORKDIR must not be there yet. Run by hand, in
# the root of this project: the programs are large. It fails at the first thing that is not as it should be.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
programs=$(cd "$1" && pwd)
mkdir "$2"
work=$(cd "$2" && pwd)
mkdir -p "$work/bin" "$work/home" "$work/project"
go build -o "$work/bin/dream-mcp" .
python3 "$here/model.py" "$work/port" "$work/api.jsonl" &
model=$!
trap 'kill $model' EXIT
until [[ -s $work/port ]]; do sleep 0.1; done
url=http://127.0.0.1:$(cat "$work/port")

die() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }

unset CLAUDECODE CLAUDE_PROJECT_DIR CLAUDE_CODE_SESSION_ID XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME CODEX_HOME
export HOME=$work/home PATH=$work/bin:$programs:$PATH
export DISABLE_TELEMETRY=1 DISABLE_ERROR_REPORTING=1 DISABLE_AUTOUPDATER=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 \
	ENABLE_TOOL_SEARCH=false ANTHROPIC_BASE_URL=$url ANTHROPIC_API_KEY=dummy \
	GEMINI_CLI_TRUST_WORKSPACE=true GOOGLE_GEMINI_BASE_URL=$url GEMINI_API_KEY=dummy
mkdir -p "$HOME/.claude" "$HOME/.codex" "$HOME/.gemini" "$HOME/.config/opencode"
cat >"$HOME/.codex/config.toml" <<-T
	model = "m"
	model_provider = "standin"
	[model_providers.standin]
	name = "standin"
	base_url = "$url/v1"
	wire_api = "responses"
T
echo '{"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": false}}' >"$HOME/.gemini/settings.json"
cat >"$HOME/.config/opencode/opencode.json" <<-J
	{"model": "standin/m", "small_model": "standin/m", "autoupdate": false, "provider": {"standin": {"npm": "@ai-sdk/anthropic", "name": "s",
	 "options": {"baseURL": "$url/v1", "apiKey": "dummy"}, "models": {"m": {"name": "m", "tool_call": true, "limit": {"context": 100000, "output": 1000}}}}}}
J
cd "$work/project"

# ask HOST PROMPT: a session of its own; what the model received is in received.txt.
ask() {
	: >"$work/api.jsonl"
	local command
	case $1 in
	claude-code) command=(claude -p "$2" --allowedTools 'mcp__dream__*' Bash Write) ;;
	codex) command=(codex exec --skip-git-repo-check --dangerously-bypass-hook-trust "$2") ;; # a person agrees to the hooks once
	gemini) command=(gemini --approval-mode yolo -p "$2") ;;
	opencode) command=(opencode run "$2") ;;
	esac
	timeout 200 "${command[@]}" </dev/null >"$work/said" 2>&1 || die "$1: $(cat "$work/said")"
	python3 -c 'import json, sys
for line in open(sys.argv[1]):
    print("\n".join(json.loads(line)["texts"]).replace("&lt;", "<").replace("&gt;", ">"))' "$work/api.jsonl" >"$work/received.txt"
	grep -qF -- "$2" "$work/received.txt" || die "$1: its model was not asked: $(cat "$work/said")"
}
got() { grep -qF -- "$1" "$work/received.txt" || die "$host: the model did not receive: $1"; }
not() { ! grep -qF -- "$1" "$work/received.txt" || die "$host: the model received: $1"; }

ids=(claude-code codex gemini opencode)
for host in "${ids[@]}"; do dream-mcp install "$host"; done
memory=$(dream-mcp status --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["memory_dir"])')

echo "== Claude Code is taught, and nothing is shown to any model unasked"
ask claude-code "please remember how staging is deployed"
[[ -s $memory/feedback_ship.md ]] || die "it was not taught: $(cat "$work/said")"
for subject in invoices printers holidays colours backups fonts queues licences; do
	printf -- '---\nname: %s\ndescription: about %s\nmetadata:\n  type: project\n---\n\nThe %s are as they were agreed with everybody.\n' $subject $subject $subject >"$memory/project_$subject.md"
	printf -- '- [%s](project_%s.md) — about %s\n' $subject $subject $subject >>"$memory/MEMORY.md"
done
for host in codex gemini opencode; do
	ask "$host" "deploy Kestrel to staging"
	not dream-memories
done

for host in codex gemini opencode; do
	echo "== $host, at a session's start"
	dream-mcp install "$host" --recall start
	ask "$host" "deploy Kestrel to staging"
	got "- [feedback_ship.md; feedback; "
	got " old] — Deploys to staging go through make ship"
	not 'Deploy Kestrel to staging with `make ship`'
	echo "== $host, at a prompt"
	dream-mcp install "$host" --recall prompt
	ask "$host" "deploy Kestrel to staging"
	got 'Deploy Kestrel to staging with `make ship`'
	ask "$host" "rename the variable tmp to pending in parser.go"
	got "The index of this project's long-term memory"
	not "that may bear on this"
done

echo "== gemini is taught, and Claude Code, which loads the index itself, is shown what a prompt calls for"
ask gemini "please remember how the schema is changed"
[[ -s $memory/feedback_migrations.md ]] || die "it was not taught: $(cat "$work/said")"
host=claude-code
dream-mcp install claude-code --recall prompt
ask claude-code "the Flyway migration that was merged has a mistake, edit it"
got 'A merged Flyway migration is never edited'
not "The index of this project's long-term memory"
ask claude-code "rename the variable tmp to pending in parser.go"
not dream-memories

echo "== no session of these hosts says what was shown"
dream-mcp mode
request() { printf '{"jsonrpc":"2.0","id":%d,"method":"%s","params":%s}\n' "$@"; }
{
	request 1 initialize '{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"script","version":"1"}}'
	echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
	request 2 tools/call '{"name":"grep_transcripts","arguments":{"pattern":"staging|schema","regex":true,"speakers":["user"]}}'
	request 3 tools/call '{"name":"grep_transcripts","arguments":{"pattern":"make ship|dream-memories|long-term memory","regex":true,"speakers":["user"]}}'
	sleep 20
} | dream-mcp serve >"$work/transcripts.txt"
grep '"id":2' "$work/transcripts.txt" | grep -q 'deploy Kestrel to staging' || die "the sessions are not read: $(cat "$work/transcripts.txt")"
grep '"id":3' "$work/transcripts.txt" | grep -q '0 shown of 0 found' || die "what was shown counts as said: $(cat "$work/transcripts.txt")"

for host in claude-code gemini opencode; do
	echo "== $host, with --guard"
	dream-mcp install "$host" --guard
	ask "$host" "try what a dream must not do in $PWD"
	tail -1 "$work/api.jsonl" >"$work/answers.txt"
	grep -q 'In a dream the shell only reads' "$work/answers.txt" && grep -q 'In a dream memories change through write_memory alone' "$work/answers.txt" ||
		die "$host: not denied: $(cat "$work/answers.txt")"
	[[ ! -e in-the-dream && ! -e written && -e after-the-dream ]] || die "$host: wrong files: $(ls)"
	rm after-the-dream
done

for host in "${ids[@]}"; do
	dream-mcp uninstall "$host"
done
[[ ! -e $HOME/.codex/hooks.json && ! -e $HOME/.config/opencode/plugins/dream-mcp.js ]] || die "uninstall left hooks"
for host in codex gemini opencode; do
	ask "$host" "deploy Kestrel to staging"
	not dream-memories
done
echo "== all as it should be"
