#!/usr/bin/env python3
"""A stand-in for a model with Claude's Messages API, Gemini's and OpenAI's, on loopback: model.py PORT_FILE LOG.

In a conversation that begins with the prompt of a dream it dreams: it orients itself, reads, corrects one memory and finalizes;
where it is asked to remember how staging or the schema is done, it writes a memory; where it is asked to try what a dream must not do, it does, in a dream and
after it; to all else it says "done". LOG gets a line of JSON a request: the texts of its messages, and what tools answered.
"""
import http.server, json, os, re, sys, time

HOLD = float(os.environ.get("HOLD", "0"))  # seconds that Claude Code's own dream takes
PAUSE = float(os.environ.get("PAUSE", "0"))  # seconds before each answer

DREAM = [
    ("dream_orient", lambda said: {}),
    ("grep_transcripts", lambda said: {"pattern": "bun", "speakers": ["user"]}),
    ("read_memory", lambda said: {"paths": ["MEMORY.md", "project_package-manager.md"]}),
    ("write_memory", lambda said: {
        "path": "project_package-manager.md",
        "edits": [{"old": "The project uses npm.", "new": "The project uses bun, not npm."}],
        "base": re.search(r"project_package-manager.md ([0-9a-f]{12})", said[2]).group(1),
    }),
    ("finalize_index", lambda said: {"upsert": [{"file": "project_package-manager.md", "text": "bun, not npm"}], "summary": "bun, not npm"}),
]


TAUGHT = {
    "remember how staging is deployed": ("feedback_ship.md", "Deploys to staging go through make ship, never kubectl apply by hand", "Deploy Kestrel to staging with `make ship`."),
    "remember how the schema is changed": ("feedback_migrations.md", "Database migrations are forward-only; a merged one is never edited", "A merged Flyway migration is never edited: add a new file to `db/migrations/`."),
}

SHELL = ("run_shell_command", "Bash", "bash", "shell_command", "exec_command")


def touch(name):
    return lambda tool, folder: {"cmd" if tool == "exec_command" else "command": "touch " + name, "description": "make a file"}


MISCHIEF = [
    (("dream_orient",), lambda tool, folder: {"force": True}),
    (SHELL, touch("in-the-dream")),
    (("write_file", "Write", "write"), lambda tool, folder: {"filePath" if tool == "write" else "file_path": folder + "/written", "content": "x"}),
    (SHELL, lambda tool, folder: {"cmd" if tool == "exec_command" else "command": "ls", "description": "list files"}),
    (("abort_dream",), lambda tool, folder: {}),
    (SHELL, touch("after-the-dream")),
]


def mischief(folder, tools, said):
    """What a dream must not do, of what the host has."""
    steps = [(t, arguments) for names, arguments in MISCHIEF for t in [next((t for n in names for t in tools if t == n or t.endswith("_" + n)), None)] if t]
    if len(said) < len(steps):
        tool, arguments = steps[len(said)]
        return tool, arguments(tool, folder)


def lesson(asked):
    """The memory that a prompt asks to be written, as the arguments of write_memory."""
    for words, (path, description, body) in TAUGHT.items():
        if words in asked:
            head = "---\nname: %s\ndescription: %s\nmetadata:\n  type: feedback\n---\n\n" % (path[9:-3], description)
            return {"path": path, "content": head + body + "\n\n**Why:** the person asked.\n\n**How to apply:** always.\n"}


def texts(content):
    if isinstance(content, str):
        return [content]
    return [b.get("text", "") for b in content if b.get("type") == "text"]


def answers(messages):
    """The texts of the tool results so far, in order."""
    said = []
    for m in messages:
        for b in m["content"] if isinstance(m["content"], list) else []:
            if b.get("type") == "tool_result":
                said.append("".join(texts(b.get("content", ""))))
    return said


def step(asked, tools, said):
    """The tool that a dream calls next, as the host names it, and its arguments; None where there is nothing more to do."""
    taught = lesson(asked)
    if taught:
        return next(((t, taught) for t in tools if t.endswith("write_memory") and not said), None)
    folder = re.search(r"try what a dream must not do in (/\S+)", asked)
    if folder:
        return mischief(folder.group(1), tools, said)
    if "<dream-mcp-prompt" not in asked or len(said) == len(DREAM):
        return None
    name, arguments = DREAM[len(said)]
    return next(((t, arguments(said)) for t in tools if t.endswith(name)), None)


def next_block(body):
    asked = "\n".join(t for m in body.get("messages", [])[:1] for t in texts(m["content"]))
    said = answers(body.get("messages", []))
    call = step(asked, [t["name"] for t in body.get("tools", [])], said)
    if call:
        return {"type": "tool_use", "id": "toolu_%d" % len(said), "name": call[0], "input": call[1]}
    return {"type": "text", "text": "done"}


def is_native_dream(body):
    """Whether Claude Code asks for its own dream."""
    asked = "\n".join(t for m in body.get("messages", [])[-1:] for t in texts(m["content"]))
    return "Memory Consolidation" in asked and "<dream-mcp-prompt" not in asked


def gemini_part(body):
    """The same for Gemini: what it is asked for without tools wants JSON. Returned beside it: the tools, the parts, and what tools answered."""
    tools = [d["name"] for t in body.get("tools", []) for d in t.get("functionDeclarations", [])]
    parts = [p for c in body.get("contents", []) for p in c["parts"]]
    said = [json.dumps(p["functionResponse"]["response"], ensure_ascii=False) for p in parts if "functionResponse" in p]
    call = step("\n".join(p.get("text", "") for p in parts), tools, said)
    if call:
        return tools, parts, said, {"functionCall": {"name": call[0], "args": call[1]}}
    return tools, parts, said, {"text": "done" if tools else '{"complexity_reasoning": "easy", "complexity_score": 1}'}


def openai_item(body):
    """The same for OpenAI's Responses."""
    tools = [(t["name"], n["name"]) for t in body.get("tools", []) if t["type"] == "namespace" for n in t["tools"]]
    said = [i["output"] if isinstance(i["output"], str) else json.dumps(i["output"], ensure_ascii=False) for i in body["input"] if i["type"] == "function_call_output"]
    words = [c.get("text", "") for i in body["input"] if i["type"] == "message" for c in i["content"]]
    call = step("\n".join(words), ["__".join(t) for t in tools], said)
    if call:
        space, _, name = call[0].rpartition("__")
        return words, said, {"type": "function_call", "id": "fc_%d" % len(said), "call_id": "call_%d" % len(said), "namespace": space, "name": name, "arguments": json.dumps(call[1])}
    return words, said, {"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]}


class Model(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def send(self, kind, data):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.end_headers()
        self.wfile.write(data)

    def do_HEAD(self):
        self.send("application/json", b"")

    def do_GET(self):
        self.send("application/json", b"{}")

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        time.sleep(PAUSE)
        if "contents" in body:
            return self.gemini(body)
        if "input" in body:
            return self.openai(body)
        with open(sys.argv[2], "a") as log:
            log.write(json.dumps({"tools": sorted(t["name"] for t in body.get("tools", [])), "texts": [t for m in body.get("messages", []) for t in texts(m["content"])], "answers": answers(body.get("messages", []))}) + "\n")
        if "count_tokens" in self.path:
            return self.send("application/json", b'{"input_tokens": 10}')
        if HOLD and is_native_dream(body):
            time.sleep(HOLD)
        block = next_block(body)
        stop = "tool_use" if block["type"] == "tool_use" else "end_turn"
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": body.get("model", "m"), "content": [],
                   "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1000, "output_tokens": 10}}
        if not body.get("stream"):
            return self.send("application/json", json.dumps({**message, "content": [block], "stop_reason": stop}).encode())
        if block["type"] == "text":
            empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            empty, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        self.send("text/event-stream", "".join("event: %s\ndata: %s\n\n" % (kind, json.dumps({"type": kind, **rest})) for kind, rest in [
            ("message_start", {"message": message}),
            ("content_block_start", {"index": 0, "content_block": empty}),
            ("content_block_delta", {"index": 0, "delta": delta}),
            ("content_block_stop", {"index": 0}),
            ("message_delta", {"delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": 10}}),
            ("message_stop", {}),
        ]).encode())

    def gemini(self, body):
        tools, parts, said, part = gemini_part(body)
        with open(sys.argv[2], "a") as log:
            log.write(json.dumps({"tools": sorted(tools), "texts": [p["text"] for p in parts if "text" in p], "answers": said}) + "\n")
        answer = {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}], "modelVersion": "m",
                  "usageMetadata": {"promptTokenCount": 1000, "candidatesTokenCount": 10, "totalTokenCount": 1010}}
        if "countTokens" in self.path:
            answer = {"totalTokens": 10}
        if "stream" not in self.path:
            return self.send("application/json", json.dumps(answer).encode())
        self.send("text/event-stream", b"data: " + json.dumps(answer).encode() + b"\r\n\r\n")

    def openai(self, body):
        words, said, item = openai_item(body)
        with open(sys.argv[2], "a") as log:
            log.write(json.dumps({"tools": sorted(t.get("name", t["type"]) for t in body.get("tools", [])), "texts": words, "answers": said}) + "\n")
        usage = {"input_tokens": 1000, "output_tokens": 10, "total_tokens": 1010}
        self.send("text/event-stream", "".join("event: %s\ndata: %s\n\n" % (kind, json.dumps({"type": kind, **rest})) for kind, rest in [
            ("response.created", {"response": {"id": "r"}}),
            ("response.output_item.done", {"output_index": 0, "item": item}),
            ("response.completed", {"response": {"id": "r", "usage": usage}}),
        ]).encode())


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
with open(sys.argv[1], "w") as f:
    f.write(str(server.server_port))
server.serve_forever()
