#!/usr/bin/env bash
# Dreams that start by themselves, with a real host and a stand-in for the model: sessions accumulate, the hook finds
# the gates open, a background dream (the same host, started by us) runs, and lands or waits; the next session reports it.
#   hook.sh HOST PROGRAM WORKDIR
# HOST is claude-code, codex or gemini, PROGRAM its binary; WORKDIR must not be there yet. Run by hand, in the root of this project: the
# programs are large. It fails at the first thing that is not as it should be.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
host=$1
mkdir "$3"
work=$(cd "$3" && pwd)
declare -A names=([claude-code]=claude [codex]=codex [gemini]=gemini)
name=${names[$host]}

mkdir -p "$work/bin"
program=$(realpath "$2")
ln -s "$program" "$work/bin/$name"
go build -o "$work/bin/dream-mcp" .
python3 "$here/model.py" "$work/port" "$work/api.jsonl" &
model=$!
trap 'kill $model' EXIT
until [[ -s $work/port ]]; do sleep 0.1; done

die() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }

# begin MODE: a fresh home, in which `install` and `mode` alone tell the host of us, and a project with one memory that is wrong.
begin() {
	mode=$1
	export HOME=$work/$mode/home
	project=$work/$mode/project
	mkdir -p "$project"
	unset CLAUDECODE CLAUDE_PROJECT_DIR CLAUDE_CODE_SESSION_ID
	export PATH="$work/bin:$PATH"
	url=http://127.0.0.1:$(cat "$work/port")
	case $host in
	claude-code)
		export DISABLE_TELEMETRY=1 DISABLE_ERROR_REPORTING=1 DISABLE_AUTOUPDATER=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 \
			ENABLE_TOOL_SEARCH=false ANTHROPIC_BASE_URL=$url ANTHROPIC_API_KEY=dummy
		;;
	codex) # a background dream reads no config.toml: the command line says where the model is
		rm -f "$work/bin/codex"
		cat >"$work/bin/codex" <<-S
			#!/bin/sh
			[ "\$1" = exec ] || exec "$program" "\$@"
			shift
			exec "$program" exec -c model=m -c model_provider=standin -c 'model_providers.standin={name="standin",base_url="$url/v1",wire_api="responses"}' "\$@"
		S
		chmod 755 "$work/bin/codex"
		mkdir -p "$HOME/.codex"
		echo "notify = [\"$work/bin/dream-mcp\", \"hook\"]" >"$HOME/.codex/config.toml"
		;;
	gemini)
		export GEMINI_CLI_TRUST_WORKSPACE=true GOOGLE_GEMINI_BASE_URL=$url GEMINI_API_KEY=dummy
		mkdir -p "$HOME/.gemini"
		echo '{"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": false}}' >"$HOME/.gemini/settings.json"
		;;
	esac
	dream-mcp install "$host"
	state=$HOME/.local/state/dream-mcp
	cd "$project"
	dream-mcp mode "$mode"
	memory=
	echo "== mode $mode"
}

say() {
	: >"$work/api.jsonl"
	local command=("$name" -p "$1" --output-format json)
	[[ $host != codex ]] || command=(codex exec --skip-git-repo-check --json "$1")
	timeout 200 "${command[@]}" </dev/null >"$work/result.json" 2>"$work/stderr" || die "the host: $(cat "$work/result.json" "$work/stderr")"
	grep -qE '"(result|response|text)": ?"done"' "$work/result.json" || die "the turn did not end: $(cat "$work/result.json")"
}

# kept: the files in which the host keeps its sessions of the project.
kept() { ls "$HOME"/.claude/projects/*/*.jsonl "$HOME"/.codex/sessions/*/*/*/* "$HOME"/.gemini/tmp/project/chats/* 2>/dev/null || true; }

sessions() {
	for said in "please add a test for the invoice total" "no, we use bun now, not npm" "deploy it to staging" "why does the build fail?" "thank you"; do
		say "$said"
		if [[ -z $memory ]]; then
			memory=$(dream-mcp status --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["memory_dir"])')
			[[ $host != claude-code || -d $memory ]] || die "the client made no memory directory"
			mkdir -p "$memory"
			printf -- '---\nname: package-manager\ndescription: which package manager the project uses\nmetadata:\n  type: project\n---\n\nThe project uses npm.\n' >"$memory/project_package-manager.md"
			printf -- '- [Package manager](project_package-manager.md) — npm\n' >"$memory/MEMORY.md"
			cp -r "$memory" "$work/$mode/before"
		fi
	done
	[[ ! -e $memory/.consolidate-lock ]] || die "a dream began too early"
	for db in "$state"/*/state.db; do # ten minutes go by
		python3 -c 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(sys.argv[2])' "$db" "DELETE FROM notes WHERE name IN ('count', 'offer', 'launch')"
	done
}

# ended: the background dream has ended.
ended() {
	for _ in $(seq 600); do
		dream-mcp log --json | grep -q '"kind":"background"' && return
		sleep 0.1
	done
	dream-mcp log --background
	die "no background dream has ended"
}

unchanged() { diff -r -x .dream.lock -x .consolidate-lock "$work/$mode/before" "$memory" || die "the memory is not as it was"; }

# reported WHAT: checks that the model of the next session gets WHAT, by a host that calls a hook at its start: Codex calls one at the end of a turn.
reported() {
	[[ $host != codex ]] || return 0
	say "good morning"
	grep -q "$1" "$work/api.jsonl" || die "it was not reported to the model"
	say "good evening"
	! grep -q "$1" "$work/api.jsonl" || die "it was reported to the model twice"
}

begin auto
sessions
say "one more"
ended
dream-mcp log --background
dream-mcp log
grep -q 'uses bun' "$memory/project_package-manager.md" || die "it did not land"
[[ ! -s $memory/.consolidate-lock ]] || die "Claude Code's lock was left"
dream-mcp log | grep -q 'dream landed.* turns' || die "it is not journaled"
[[ $host == codex ]] || python3 - "$work/api.jsonl" <<'P' || die "the background dream had tools that write, or none of ours"
import json, sys
dreams = [r["tools"] for r in map(json.loads, open(sys.argv[1])) if r["tools"] and any("<dream-mcp-prompt kind" in t for t in r["texts"][:3])]
print("tools of the background dream:", *dreams[0])
reads = {"Read", "Grep", "Glob", "read_file", "grep_search", "glob", "list_directory"}
ours = ("mcp__dream__", "mcp_dream_")
sys.exit(any(t not in reads and not t.startswith(ours) for tools in dreams for t in tools) or not any(t.endswith("_dream_orient") for t in dreams[0]))
P
kept | wc -l | grep -qx 6 || die "the background dream left a transcript among the project's"
reported 'A background dream changed the long-term memory'
dream-mcp undo
unchanged

begin approve
sessions
say "one more"
ended
unchanged
dream-mcp review | tee "$work/review.txt"
grep -q '^+The project uses bun' "$work/review.txt" || die "no diff is shown"
reported 'proposes changes to the long-term memory'
unchanged
dream-mcp review --accept
grep -q 'uses bun' "$memory/project_package-manager.md" || die "what was accepted did not land"
dream-mcp undo
unchanged

if [[ $host == codex ]]; then # it could not say the offer
	echo "== all as it should be"
	exit
fi
begin suggest
sessions
say "one more"
grep -q 'offer it in one sentence' "$work/api.jsonl" || die "no dream was offered"
say "and another"
! grep -q 'offer it in one sentence' "$work/api.jsonl" || die "it was offered twice"
! dream-mcp log --json | grep -q '"kind":"background"' || die "a dream was started"
unchanged
echo "== all as it should be"
