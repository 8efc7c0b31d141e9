package host

import (
	"bytes"
	"encoding/base64"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"dream-mcp/consolidate/transcript/said"
)

// Letta Code, where it keeps its sessions on this machine, has a folder for each conversation, in pi's records. Beside
// what a person typed are reminders; an interrupted text is stored again with the next one. A sub-agent has a
// conversation of its own, and what it is asked looks typed.
var letta = Host{
	ID: "letta", Name: "Letta Code", Program: "letta", Tried: "0.32.18",
	Sessions: []Sessions{{
		Format: said.Format{
			Host:    "letta",
			Folders: []said.Folder{{Path: "conversations", Why: "Letta Code's, of all projects: those that ran here", Files: []string{"*/messages.jsonl"}}},
			ID:      lettaID, Beside: lettaBeside, Line: lettaLine, Version: []string{"version"},
		},
		Place: Place{Variable: "LETTA_LOCAL_BACKEND_DIR", Home: ".letta/lc-local-backend"},
	}},
}

var _ = add(&letta)

// lettaID is the name that a conversation's folder is made from: of the conversation, or of the agent whose first one
// it is.
func lettaID(file string) string {
	name, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(folderID(file), "="))
	_, id, _ := strings.Cut(string(name), ":")
	if err != nil || !said.IsPlainName(id) {
		return ""
	}
	return id
}

// nowhere is the directory of a sub-agent's conversation: it is of no project.
const nowhere = string(filepath.Separator)

// lettaBeside returns nowhere for the conversation of a sub-agent. Others say themselves where they began.
func lettaBeside(file string) string {
	agent := base64.RawURLEncoding.EncodeToString([]byte(lettaID(filepath.ToSlash(file))))
	facts := readStart(filepath.Join(filepath.Dir(file), "..", "..", "agents", agent+".json"), maxProjects)
	if bytes.Contains(facts, []byte(`"role:subagent"`)) {
		return nowhere
	}
	return ""
}

func lettaLine(line said.Raw, r *said.Record, h *said.HostState) {
	sub := h.CWD == nowhere // its own head says where a sub-agent was begun
	piLine(line, r, h)
	if sub {
		h.CWD = nowhere
	}
	if !r.UUID.Empty() { // unique in a conversation only
		r.UUID = nil
	}
	r.Timestamp = line.Field("message").Field("metadata").Field("created_at")
	r.CWD = said.Quoted(h.CWD)
	role := line.Field("message").Field("role")
	switch {
	case role.Is("assistant") && r.Message.Blocks != nil:
		h.Origin = ""
	case r.Type.Is("user") && role.Is("user"):
		blocks := r.Message.Blocks
		r.Message.Blocks = nil
		r.TypedBlocks(blocks, []string{"<system-reminder>"}, strings.TrimSpace)
		r.Message.Blocks = slices.DeleteFunc(r.Message.Blocks, func(b said.Block) bool {
			last := h.Origin
			h.Origin = strconv.FormatUint(said.Sum(b.Text.Text()), 16) // of the last text that the model has not answered
			return h.Origin == last
		})
	}
}
