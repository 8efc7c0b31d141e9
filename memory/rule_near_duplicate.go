package memory

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"dream-mcp/memory/likeness"
)

// maxAlike bounds the other memories that a finding names.
const maxAlike = 5

var nearDuplicateRule = rule{
	doc: RuleDoc{
		Name:     "near-duplicate",
		Summary:  "what is known stands in one memory: a new one is not much like another",
		Severity: Error,
		Waivable: true,
		Catches:  "pm2-restart-pattern.md beside feedback_pm2_restart.md, where both say the same in much the same words",
		Leaves:   "a hub and its children; the reports of two days; service_mail.md and service_shop.md, filled in alike; one fact in two languages; what stands and links to the other by [[name]]",
		Bad: "-- feedback_pm2_restart.md --\n---\nname: pm2-restart\ndescription: Restart PM2 with --update-env after changing the environment\nmetadata:\n  type: feedback\n---\nWhen a variable changes, run `pm2 restart app --update-env`: a plain restart keeps the old values.\n" +
			"-- pm2-restart-pattern.md --\n---\nname: pm2-restart-pattern\ndescription: PM2 restart needs --update-env when the environment changes\nmetadata:\n  type: feedback\n---\nA plain `pm2 restart` keeps the old values. Use `--update-env` whenever a variable was changed.\n",
		Good: "-- service_mail.md --\n---\nname: service-mail\ndescription: \"Service mail: owner, deploy, database\"\nmetadata:\n  type: project\n---\nOwner: team Talk. Deploy: `make deploy S=mail`. Database: Postgres, schema mail.\n" +
			"-- service_shop.md --\n---\nname: service-shop\ndescription: \"Service shop: owner, deploy, database\"\nmetadata:\n  type: project\n---\nOwner: team Shop. Deploy: `make deploy S=shop`. Database: Postgres, schema shop.\n",
	},
	topic: findNearDuplicates,
}

// findNearDuplicates reports n once, with the others that it is like. Of two that both stood, or both
// came, the one that sorts later is reported; of others the new one, and always the one being written.
func findNearDuplicates(v *view, n Name, t *Topic) []Finding {
	var others []twin
	for _, o := range v.twins()[n] {
		came, stood := v.came(n), !v.came(o.name)
		switch {
		case n == v.written, came && stood, came != stood && n.path > o.name.path:
		default:
			continue
		}
		if !came && stood && (v.linksTo(t, o.name) || v.linksTo(v.after.Topics[o.name], n)) {
			continue // whoever wrote the link knew both
		}
		others = append(others, o)
	}
	if len(others) == 0 {
		return nil
	}
	slices.SortStableFunc(others, func(a, b twin) int { return cmp.Compare(b.share, a.share) })
	other := others[0].name
	f := Finding{
		File: n.path, Severity: Warning, subject: other.path,
		Message: fmt.Sprintf("%q says much the same: %s", other.path, cutText(oneLine(v.after.Topics[other].Description()), longEntry)),
		Hint: fmt.Sprintf("read_memory {\"paths\": [%q, %q]}; if they say the same, put what one has more into the other and delete it: write_memory {\"path\": %q, \"delete\": true, …}; if both must stand, link them by [[%s]]",
			other.path, n.path, n.path, strings.TrimSuffix(other.path, ".md")),
	}
	if n == v.written && !v.came(n) {
		f.Hint = fmt.Sprintf("read_memory {\"paths\": [%q, %q]}; if they say the same, put what that one has more into this one and delete it: write_memory {\"path\": %q, \"delete\": true, …}; if both must stand, link them by [[%s]]",
			n.path, other.path, other.path, strings.TrimSuffix(other.path, ".md"))
	}
	if len(others) > 1 {
		var names []string
		for _, o := range others[1:min(len(others), maxAlike)] {
			names = append(names, fmt.Sprintf("%q", o.name.path))
		}
		f.Message += fmt.Sprintf(" (%d more are like it: %s)", len(others)-1, strings.Join(names, ", "))
	}
	if v.before != nil && v.came(n) && (n == v.written || !v.came(other)) {
		f.Severity = Error
		f.Hint = fmt.Sprintf("read_memory {\"paths\": [%q]} and merge into it: write_memory {\"path\": %q, \"edits\": […], \"base\": …}; if this one replaces it, delete that one first; "+
			"if both must stand, write this one with \"waive\": [{\"rule\": \"near-duplicate\", \"why\": \"…\"}]", other.path, other.path)
	}
	if path.Dir(n.path) != path.Dir(other.path) {
		f.Hint += "; what lies in a folder such as team/ is others' too: of two, the one there stays"
	}
	return []Finding{f}
}

// twin is a memory that is much like another.
type twin struct {
	name  Name
	share float64
}

// twins returns for each memory those that it is much like; where one has just been written, for that
// one alone, which is found out without comparing the others.
func (v *view) twins() map[Name][]twin {
	if v.alike != nil {
		return v.alike
	}
	v.alike = make(map[Name][]twin)
	var names []Name
	var readings []*likeness.Reading
	for _, n := range v.sortedNames() {
		if !isFolderIndex(n) {
			names, readings = append(names, n), append(readings, v.reading(n))
		}
	}
	if written := slices.Index(names, v.written); written >= 0 {
		for i, o := range readings {
			if share, tooMuch := readings[written].Like(o); tooMuch && i != written {
				v.alike[v.written] = append(v.alike[v.written], twin{names[i], share})
			}
		}
		return v.alike
	}
	for _, p := range likeness.Pairs(readings) {
		a, b := names[p.A], names[p.B]
		v.alike[a] = append(v.alike[a], twin{b, p.Share})
		v.alike[b] = append(v.alike[b], twin{a, p.Share})
	}
	return v.alike
}

func (v *view) reading(n Name) *likeness.Reading {
	t := v.after.Topics[n]
	return read(v, t, "near-duplicate", func() *likeness.Reading {
		return likeness.Read(likeness.Memory{Name: n.path, Description: t.Description(), Body: t.body})
	})
}

// came reports whether the change that is checked has made the memory.
func (v *view) came(n Name) bool { return v.before != nil && v.before.Topics[n] == nil }
