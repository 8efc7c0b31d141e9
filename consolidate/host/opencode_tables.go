package host

import (
	"bytes"
	"cmp"
	"errors"
	"slices"

	"dream-mcp/consolidate/transcript/database"
	"dream-mcp/consolidate/transcript/said"
)

// openCodeTables are those of opencode, and of hosts that are made from it. There may be two generations: session, with
// message and part, and since 2.0 session_v2 with session_message, into which it copies the older sessions, and leaves
// them where they were.
var openCodeTables = tables{openCodeSessions, openCodeRead}

// openCodeSessions returns the sessions of a database that are wanted, each as the newest generation has it.
func openCodeSessions(v database.View, wanted func(*session) bool) (all []session, err error) {
	seen := map[string]bool{}
	tables := 0
	for _, table := range []string{"session_v2", "session"} {
		has, err := v.Has(table)
		if err != nil {
			return nil, err
		}
		if has {
			tables++
		}
		err = v.Rows(table, "", "", []string{"id", "parent_id", "directory", "time_updated"}, func(row database.Row) error {
			o := session{ID: row.Text(0), Directory: row.Text(2), Status: said.Status{ModTime: dateOf(row.Int(3))}}
			if row.Text(1) != "" {
				o.Reason = said.Subagent
			}
			if known := seen[o.ID]; !known && wanted(&o) {
				all = append(all, o)
			}
			seen[o.ID] = true
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if tables == 0 {
		return nil, errors.New("it has no table of sessions: an unknown version of opencode")
	}
	for i := range all {
		for _, table := range []string{"session_message", "part"} {
			n, err := v.Count(table, "session_id", all[i].ID)
			if err != nil {
				return nil, err
			}
			all[i].Size += n
		}
	}
	return all, nil
}

// openCodeRead returns a session by the messages of 2.0, or if there are none, by those of older versions.
func openCodeRead(v database.View, s session) ([]said.Record, error) {
	r := reading{}
	err := r.messages(v, s.ID)
	if err == nil && len(r.all) == 0 {
		err = r.parts(v, s.ID)
	}
	return openCodeLines(s, r.all, r.bad), err
}

// A reading is the messages of a session.
type reading struct {
	all []openCodeMessage
	budget
}

// rows calls do with each row of a session in a table that is wanted: its id, its data and what else is asked for.
func (r *reading) rows(v database.View, table, session string, columns []string, do func(row database.Row, data said.Raw)) error {
	return v.Rows(table, "session_id", session, append([]string{"id", "data"}, columns...), func(row database.Row) error {
		text := []byte(row.Text(1))
		if kind := said.Raw(bytes.TrimSpace(text)).Field("type"); table == "part" && !kind.Is("text") && !kind.Is("tool") && !row.TooLong(1) {
			return nil // a file, a snapshot, a step, a thought
		}
		data, err := r.value(text, row.TooLong(1))
		if err == nil && !row.TooLong(1) {
			do(row, data)
		}
		return err
	})
}

// messages reads those of 2.0.
func (r *reading) messages(v database.View, session string) error {
	err := r.rows(v, "session_message", session, []string{"type", "seq", "time_created"}, func(row database.Row, data said.Raw) {
		r.all = append(r.all, openCodeMessage{
			id: row.Text(0), role: said.Quoted(row.Text(2)), seq: row.Int(3), created: row.Int(4), data: data,
		})
	})
	slices.SortStableFunc(r.all, func(a, b openCodeMessage) int { return cmp.Compare(a.seq, b.seq) })
	return err
}

// parts reads the messages of older versions, and their parts. Both are ordered by their IDs, which grow.
func (r *reading) parts(v database.View, session string) error {
	err := r.rows(v, "message", session, []string{"time_created"}, func(row database.Row, data said.Raw) {
		r.all = append(r.all, openCodeMessage{id: row.Text(0), role: data.Field("role"), created: row.Int(2), data: data})
	})
	if err != nil {
		return err
	}
	slices.SortFunc(r.all, func(a, b openCodeMessage) int {
		return cmp.Or(cmp.Compare(a.created, b.created), cmp.Compare(a.id, b.id))
	})
	places := map[string]int{}
	for i := range r.all {
		places[r.all[i].id] = i
	}
	err = r.rows(v, "part", session, []string{"message_id"}, func(row database.Row, data said.Raw) {
		if place, known := places[row.Text(2)]; known {
			if r.all[place].role.Is("user") {
				data = openCodeTyped(data)
			}
			r.all[place].parts = append(r.all[place].parts, openCodePart{row.Text(0), data})
		}
	})
	for i := range r.all {
		slices.SortFunc(r.all[i].parts, func(a, b openCodePart) int { return cmp.Compare(a.id, b.id) })
	}
	return err
}

// openCodeTyped returns a part with what was typed as its text: the command in place of its body, where the host keeps
// it, and an argument of the command line without the quotation marks around it.
func openCodeTyped(part said.Raw) said.Raw {
	text := part.Field("text").Text()
	if title := part.Field("metadata").Field("kilo").Field("injected").Field("title"); !title.Empty() {
		text = title.Text()
	} else if quoted := said.Raw(text); quoted.IsString() && quoted.IsWhole() {
		text = quoted.Text()
	} else {
		return part
	}
	return said.Raw(`{"type":"text","text":` + string(said.Quoted(text)) + `}`)
}
