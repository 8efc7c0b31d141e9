#!/usr/bin/env bash
# A whole dream through the real Claude Code client, over transcripts that it wrote itself, with a
# stand-in for the model: six short sessions first, then the prompt `dream` as a slash command.
#   claude-code.sh DRIVER WORKDIR SERVER
# DRIVER starts the client: DRIVER WORKDIR SCRIPT.json SERVER, with the prompt in $PROMPT, HOME in
# WORKDIR/home and the project in WORKDIR/project; what the model was sent goes to WORKDIR/api.jsonl.
# Run by hand: the client is about 370 MB.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
driver=$1 work=$2 server=$3

mkdir -p "$work/project" "$work/home"
echo '[]' >"$work/nothing.json"
for said in \
	"please add a test for the invoice total" \
	"no, we use bun now, not npm. Always run bun install" \
	"deploy it to staging" \
	"remember that the staging database is reset every night" \
	"why does the build fail?" \
	"from now on keep commits in the imperative mood"; do
	PROMPT="$said" "$driver" "$work" "$work/nothing.json" "$server"
done

memory=$(find "$work/home/.claude/projects" -maxdepth 2 -type d -name memory | head -n 1)
printf -- '---\nname: package-manager\ndescription: which package manager the project uses\nmetadata:\n  type: project\n---\n\nThe project uses npm.\n' >"$memory/project_package-manager.md"
printf -- '---\nname: pkg-notes\ndescription: notes on the package manager\nmetadata:\n  type: project\n---\n\nSomebody said bun is faster.\n' >"$memory/project_pkg-notes.md"
printf -- '---\nname: role\ndescription: what the person does\nmetadata:\n  type: user\n---\n\nWrites Go.\n' >"$memory/user_role.md"
printf -- '---\nname: staging\ndescription: where staging is\nmetadata:\n  type: reference\n---\n\nhttps://staging.example.test\n' >"$memory/reference_staging.md"
printf -- '- [Package manager](project_package-manager.md) — npm\n- [Notes](project_pkg-notes.md) — on bun\n- [Gone](gone.md) — nothing\n' >"$memory/MEMORY.md"

"$driver" "$work" "$here/dream.json" "$server"

echo "== what the client says"
cat "$work/result.json"
echo
echo "== what the model was sent back, call by call"
python3 - "$work/api.jsonl" <<'P'
import json, sys
bodies = [json.loads(line)["body"] for line in open(sys.argv[1])]
last = max((b for b in bodies if b.get("tools")), key=lambda b: len(b["messages"]))
for m in last["messages"]:
    if isinstance(m["content"], str):
        print("--", m["role"], m["content"][:400])
        continue
    for b in m["content"]:
        if b["type"] == "tool_use":
            print("->", b["name"], json.dumps(b["input"], ensure_ascii=False))
        elif b["type"] == "tool_result":
            c = b.get("content", "")
            print("<-", c if isinstance(c, str) else "".join(x.get("text", "") for x in c))
        elif b["type"] == "text":
            print("--", m["role"], b["text"][:400])
P
echo "== the memory afterwards"
head -n 50 "$memory"/*.md
ls -la "$memory"
