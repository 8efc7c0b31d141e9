package rule

import (
	"strings"
	"testing"

	"dream-mcp/memory"
)

func TestTombstone(t *testing.T) {
	topic := func(name, description, body string) *memory.Topic {
		return memory.ParseTopic([]byte("---\nname: " + name + "\ndescription: " + description + "\ntype: project\n---\n" + body))
	}
	const text = "The shop is deployed by hand, from main, on Tuesdays.\n"
	for _, gone := range []*memory.Topic{
		topic("deploy", "how we deploy", ""),
		topic("deploy", "how we deploy", "\n \n"),
		topic("deploy", "DEPRECATED since May", text),
		topic("deploy", "how we deploy", "# deploy\n\n**DEPRECATED**\n\n"+text),
		topic("[ARCHIVED] deploy", "how we deploy", text),
		topic("deploy", "how we deploy", "> ⚠️ Superseded by [[deploy-2]] in May.\n"),
		topic("deploy", "how we deploy", "This memory has been merged into `deploy_2.md`.\n"),
		topic("deploy", "Deprecated — see deploy_2", text),
		topic("deploy", "moved to [deploy](deploy_2.md)", text),
		topic("deploy", "Superseded by the recipe of May", text),
		topic("deploy", "how we deploy", "# Deploy — Superseded\n\n"+text),
		topic("deploy", "how we deploy", "# Deploy by hand (archived) — ARCHIVED\n\n"+text),
		topic("deploy", "已归档：how we deploy", text),
		topic("deploy", "【旧版本】how we deploy", text),
		topic("deploy", "SUPERSEDED by [[deploy-2]]", strings.Repeat(text, 20)),
		topic("deploy", "how we deploy\nstatus: superseded", text),
		topic("deploy", "how we deploy\nsuperseded_by: deploy-2", text),
		topic("deploy", "how we deploy\nmetadata:\n  archived: true", text),
		topic("deploy", "how we deploy\nsuperseded_by: null\narchived: true", text),
	} {
		if _, found := tombstone(gone); !found {
			t.Errorf("not found: %q", gone.Bytes())
		}
	}
	for _, stays := range []*memory.Topic{
		topic("deploy", "how we deploy", text),
		topic("deploy", "Deprecated endpoints of the shop go in May", text),
		topic("deploy", "Merged into main on 2026-05-04", text),
		topic("deploy", "Moved to the office in Ulm", text),
		topic("deploy", "how we deploy", text+"\n## Old\n\nDEPRECATED: the script.\n"),
		topic("deploy", "SUPERSEDED IN PART by [[deploy-2]]", text),
		topic("deploy", "DEPRECATED (the second step only), see [[deploy-2]]", text),
		topic("deploy", "Superseded by [[deploy-2]], but the order of the steps still holds", text),
		topic("deploy", "how we deploy", "**SUPERSEDED in May.**\n\n"+strings.Repeat(text, 20)),
		topic("deploy", "how we deploy", "**OBSOLETE:** by hand. It is now a job of CI.\n\n"+text),
		topic("deploy", "旧版本的 shop", text),
		topic("deploy", "how we deploy\nstatus: active\nsuperseded_by: null\narchived: false", text),
		topic("deploy", "how we deploy\nsuperseded_by: []", text),
		topic("deploy", "how we deploy", "status: archived\n\n"+text),
		topic("deploy", "Archived runs are kept for a year", text),
		memory.ParseTopic([]byte("")),
	} {
		if why, gone := tombstone(stays); gone {
			t.Errorf("%s: %q", why, stays.Bytes())
		}
	}
}
