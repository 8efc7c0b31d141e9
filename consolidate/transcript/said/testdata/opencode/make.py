#!/usr/bin/env python3
"""Made the databases beside it, once: make.py FOLDER. The tables are those of opencode 1.2 to 1.18 (v1.db) and 2.0 (v2.db), the
words are invented. v1.db-wal is the log of one commit more. The project's directory is long, so that a script can put
another in its place."""
import json, os, sqlite3, sys

HERE = "/home/dev/lighthouse" + "/." * 110
T0 = 1793523600000  # 2026-11-01T09:00:00Z


def open_db(name):
    db = sqlite3.connect(os.path.join(sys.argv[1], name), isolation_level=None)
    db.execute("pragma page_size = 1024")
    db.execute("pragma journal_mode = wal")
    db.execute("pragma wal_autocheckpoint = 0")
    return db


SESSION = """CREATE TABLE `%s` (`id` text PRIMARY KEY, `project_id` text NOT NULL, `workspace_id` text, `parent_id` text, %s`slug` text NOT NULL,
 `directory` text NOT NULL, `path` text, `title` text%s, `version` text NOT NULL, `summary_diffs` text, `cost` real DEFAULT 0 NOT NULL,
 `time_created` integer NOT NULL, `time_updated` integer NOT NULL, `time_archived` integer,
 CONSTRAINT `fk_%s_project` FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON DELETE CASCADE)"""


def v1_tables(db):
    db.execute(SESSION % ("session", "", " NOT NULL", "session"))
    db.execute("CREATE INDEX `session_project_idx` ON `session` (`project_id`)")
    db.execute("CREATE TABLE `message` (`id` text PRIMARY KEY, `session_id` text NOT NULL, `time_created` integer NOT NULL, `time_updated` integer NOT NULL, `data` text NOT NULL)")
    db.execute("CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`)")
    db.execute("CREATE TABLE `part` (`id` text PRIMARY KEY, `message_id` text NOT NULL, `session_id` text NOT NULL, `time_created` integer NOT NULL, `time_updated` integer NOT NULL, `data` text NOT NULL)")
    db.execute("CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`)")
    db.execute("CREATE INDEX `part_session_idx` ON `part` (`session_id`)")


def v2_tables(db):
    db.execute(SESSION % ("session_v2", "`fork_session_id` text, ", "", "session_v2"))
    db.execute("CREATE TABLE `session_message` (`id` text PRIMARY KEY, `session_id` text NOT NULL, `type` text NOT NULL, `seq` integer NOT NULL, `time_created` integer NOT NULL, `time_updated` integer NOT NULL, `data` text NOT NULL)")
    db.execute("CREATE UNIQUE INDEX `session_message_session_seq_idx` ON `session_message` (`session_id`,`seq`)")


def session(db, n, updated, table="session", directory=HERE, parent=None, title="The lantern"):
    db.execute("insert into %s (id, project_id, parent_id, slug, directory, title, version, summary_diffs, time_created, time_updated) values (?,?,?,?,?,?,?,?,?,?)" % table,
               ("ses_%d" % n, "global", parent and "ses_%d" % parent, "tidy-wolf", directory, title, "1.18.33", None, T0, T0 + 1000 * updated))


def message(db, n, at, role, parts, **more):
    """A message of session n, so many seconds after its begin; its number is its time's, in a fork another."""
    mid = "msg_%03d%d" % (at, n)
    db.execute("insert into message values (?,?,?,?,?)", (mid, "ses_%d" % n, T0 + 1000 * at, T0 + 1000 * at, json.dumps({"role": role, "time": {"created": T0 + 1000 * at}, "agent": "build", **more})))
    for i, part in enumerate(parts):
        db.execute("insert into part values (?,?,?,?,?,?)", ("prt_%03d%d_%d" % (at, n, i), mid, "ses_%d" % n, T0 + 1000 * at, T0 + 1000 * at, json.dumps(part, ensure_ascii=False)))


def text(t, **more):
    return {"type": "text", "text": t, **more}


def tool(name, given, output, **state):
    return {"type": "tool", "tool": name, "callID": "call_" + name, "state": {"status": "completed", "input": given, "output": output, "title": "", "metadata": {}, **state}}


def lantern(db, n):
    message(db, n, 1, "user", [
        text("Called the Read tool with the lantern's file", synthetic=True),
        {"type": "file", "mime": "text/plain", "filename": "lantern.md", "url": "data:text/plain;base64,bGFudGVybg=="},
        text("no, the lantern is green"),
        text("a plug-in says: lantern", ignored=True),
    ], summary={"diffs": []})
    message(db, n, 2, "assistant", [
        {"type": "step-start", "snapshot": "0"},
        {"type": "reasoning", "text": "a thought of the lantern"},
        text("Green it is."),
        tool("bash", {"command": "paint --green"}, "painted 灯 " + "x" * 3000),
        tool("dream_read_memory", {"paths": ["lantern.md"]}, "the memory of the lantern"),
        {"type": "tool", "tool": "edit", "callID": "call_edit", "state": {"status": "error", "input": {"filePath": "a.go"}, "error": "no such lantern"}},
        text("The green lantern is lit."),
        {"type": "step-finish", "reason": "stop"},
    ])
    message(db, n, 3, "user", [{"type": "compaction", "auto": True}])
    message(db, n, 4, "assistant", [text("The lantern was made green.")], summary=True, mode="compaction")
    message(db, n, 5, "user", [text("Continue with the lantern", synthetic=True)])


def v1(db, keep=lambda: None):
    v1_tables(db)
    session(db, 1, 10)
    lantern(db, 1)
    session(db, 2, 11, parent=1, title="look (@general subagent)")
    message(db, 2, 6, "user", [text("look at the lantern, sub-agent")])
    session(db, 3, 12, directory="/home/dev/elsewhere")
    message(db, 3, 7, "user", [text("a lantern elsewhere")])
    session(db, 4, 13)
    message(db, 4, 8, "user", [text("<dream-mcp-prompt> dream of the lantern")])
    message(db, 4, 9, "assistant", [text("I dreamt of the lantern.")])
    session(db, 5, 14, title="New session - 2026-11-01T09:00:14.000Z")
    session(db, 6, 9, title="The lantern (fork #1)")
    lantern(db, 6)


db = open_db("v1.db")
v1(db)
db.execute("pragma wal_checkpoint(truncate)")
db.execute("begin")
message(db, 1, 20, "user", [text("paint it twice")])
message(db, 1, 21, "assistant", [text("Twice.")])
db.execute("update session set time_updated = ? where id = 'ses_1'", (T0 + 25000,))
db.execute("commit")

two = open_db("v2.db")
v1(two)
v2_tables(two)


def new(n, seq, kind, **data):
    two.execute("insert into session_message values (?,?,?,?,?,?,?)", ("msg_%d_%d" % (n, seq), "ses_%d" % n, kind, seq, T0 + 1000 * seq, T0 + 1000 * seq, json.dumps({"time": {"created": T0 + 1000 * seq}, **data})))


session(two, 1, 30, table="session_v2")
new(1, 2, "assistant", agent="build", model={"id": "m", "providerID": "p"}, content=[
    {"type": "reasoning", "text": "a thought of the lantern"},
    {"type": "text", "text": "Green it is."},
    {"type": "tool", "id": "call_1", "name": "bash", "state": {"status": "completed", "input": {"command": "paint"}, "content": [{"type": "text", "text": "painted"}]}},
    {"type": "tool", "id": "call_2", "name": "edit", "state": {"status": "error", "input": {"filePath": "a.go"}, "error": {"type": "unknown", "message": "no such lantern"}}},
    {"type": "tool", "id": "call_3", "name": "bash", "state": {"status": "streaming", "input": "{\"comm"}},
])
new(1, 1, "user", text="no, the lantern is green", files=[])
new(1, 3, "synthetic", text="Continue with the lantern")
new(1, 4, "compaction", status="completed", reason="auto", summary="the lantern was made green", recent="")
new(1, 5, "user", text="keep the lantern green")
new(1, 6, "idle", outcome="succeeded")
new(1, 7, "shell", shellID="sh_1", command="go test", status="exited", exit=0, output={"output": "ok lantern", "cursor": 10, "size": 10, "truncated": False})
new(1, 8, "skill", skill="dream", name="dream", text="<dream-mcp-prompt> dream of the lantern")
new(1, 9, "assistant", agent="build", model={"id": "m", "providerID": "p"}, content=[{"type": "text", "text": "I dreamt of the lantern."}])
new(1, 10, "user", text="back to the lantern")
session(two, 2, 31, table="session_v2", parent=1)
new(2, 1, "user", text="look at the lantern, sub-agent")
session(two, 3, 32, table="session_v2", directory="/home/dev/elsewhere")
two.execute("pragma wal_checkpoint(truncate)")
sys.stdout.flush()
os._exit(0)  # the log stays
