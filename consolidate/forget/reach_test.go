package forget

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/share"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
)

// secretText is in every string of the database before it is forgotten.
const secretText = "the swimming pool"

// noText are the columns, and the keys of values in JSON, that have no text of a memory, a person or a model. "*" is a
// key that is data.
var noText = map[string][]string{
	"an ID or a sum": {
		"changes.operation", "changes.before", "changes.after", "events.dream", "log.operation", "log.undoes", "needs.operation", "needs.sum",
		"operations.id", "operations.undoes", "reports.dream", "shown.session", "stops.operation", "words.source", "words.session",
		"record.id", "record.session", "record.undoes", "record.dream", "record.commit", "record.index", "record.displaced", "record.left_alone.want",
		"record.left_alone.have", "record.left_alone.lost", "record.evidence.*", "record.merges.*.replaced.*", "record.request.Base",
		"record.listed.ends.*", "record.listed.shown.*", "entry.id", "entry.session", "entry.undoes", "entry.dream",
		"run.ID", "listed.Dream", "listed.Shown.*", "machine", "share.machine", "share.base", "share.held",
		"share.sighting.lease", "share.sighting.boot", "share.identity.root",
	},
	"a word of ours": {
		"events.phase", "events.kind", "log.kind", "log.outcome", "operations.kind", "operations.state", "reports.outcome", "shown.event",
		"words.speaker", "record.kind", "record.outcome", "record.state", "record.phase", "record.waived.rule", "entry.kind", "entry.outcome",
		"entry.waived.rule", "share.refs", "share.notes.why",
	},
	"a path, or the name of a file": {
		"changes.name", "changes.temp", "declined.*", "events.files", "log_files.file", "shown.files", "roots", "unindexed",
		"record.waived.file", "record.accepted_loss.*", "record.proposed", "record.evidence.*", "record.merges.*", "record.merges.*.replaced.*",
		"record.renamed.*", "record.held.*", "record.index_lines.file", "record.request.Upsert.file", "record.request.AcceptLoss.*",
		"entry.waived.file", "entry.accepted_loss.*", "entry.proposed", "entry.files", "doubts.*", "left.Files.*", "copies.*",
		"share.remote", "entry.changes.renamed", "share.identity.origin", "share.identity.path",
	},
	"the name of a program or a machine": {
		"shown.host", "record.host", "entry.host", "dream_host", "share.identity.name", "share.machine_name", "share.other_name",
	},
	"what git answered": {"share.pending", "share.stopped"},
}

// Forget reaches every column of the database, and every string of the values that it has in JSON, but for those of
// noText.
func TestReach(t *testing.T) {
	store := ops.Open(ops.Options{MemoryDir: t.TempDir(), StateHome: t.TempDir(), Now: time.Now})
	defer store.Lock()()
	store.Records.DB().Close()
	values := map[string]any{"record": filled[ops.Op](t), "entry": filled[ops.LogEntry](t)}
	notes := notesOf(t)
	maps.Copy(values, notes)
	raw, err := sql.Open("sqlite", store.Records.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	columns := fillTables(t, raw, values, slices.Sorted(maps.Keys(notes)))

	other := ops.Open(*store.Options)
	if _, damaged, err := other.Records.Redact(func(s string) string { return strings.ReplaceAll(s, secretText, "…") }, false); err != nil || damaged != nil {
		t.Fatal(err, damaged)
	}

	var have []string
	for _, c := range columns {
		rows := query(t, raw, "SELECT "+c[1]+" FROM "+c[0])
		for i, v := range rows {
			at := c[0] + "." + c[1]
			switch at {
			case "operations.record":
				at = "record"
			case "log.entry":
				at = "entry"
			case "notes.name":
				continue
			case "notes.value":
				at = query(t, raw, "SELECT name FROM notes")[i]
			}
			var decoded any
			if json.Unmarshal([]byte(v), &decoded) != nil {
				decoded = v
			}
			have = append(have, stillIn(at, decoded)...)
		}
	}
	var want []string
	for _, places := range noText {
		want = append(want, places...)
	}
	slices.Sort(have)
	slices.Sort(want)
	have, want = slices.Compact(have), slices.Compact(want)
	for _, at := range have {
		if !slices.Contains(want, at) {
			t.Errorf("%s still has the text: add it to textColumns, notesWithText (package state) or words (package ops), or, if it never has a text, to noText", at)
		}
	}
	for _, at := range want {
		if !slices.Contains(have, at) {
			t.Errorf("%s is in noText, and has no text: it is reached, or is gone", at)
		}
	}
}

// stillIn returns the places in a value that have secretText.
func stillIn(at string, v any) (places []string) {
	switch v := v.(type) {
	case string:
		if strings.Contains(v, secretText) {
			return []string{at}
		}
	case []any:
		for _, below := range v {
			places = append(places, stillIn(at, below)...)
		}
	case map[string]any:
		for key, below := range v {
			if strings.Contains(key, secretText) {
				key = "*"
				places = append(places, at+".*")
			} else if strings.Contains(key, "…") {
				key = "*"
			}
			places = append(places, stillIn(at+"."+key, below)...)
		}
	}
	return places
}

// filled returns a value whose strings all are secretText.
func filled[T any](t *testing.T) (v T) {
	fill(reflect.ValueOf(&v).Elem())
	return v
}

func fill(v reflect.Value) {
	if name, is := v.Addr().Interface().(*memory.Name); is {
		*name = memory.IndexName
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(secretText)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key)
		fill(elem)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, elem)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i))
			}
		}
	}
}

// notesOf returns a filled value of each note, by its name.
func notesOf(t *testing.T) map[string]any {
	notes := map[string]any{"share": filled[share.State](t)}
	note(t, notes, state.Offers)
	note(t, notes, state.Launches)
	note(t, notes, state.Running)
	note(t, notes, state.LastCount)
	note(t, notes, state.Doubts)
	note(t, notes, state.LastLeft)
	note(t, notes, state.Declined)
	note(t, notes, state.Unindexed)
	note(t, notes, state.Listed)
	note(t, notes, state.Roots)
	note(t, notes, state.Machine)
	note(t, notes, state.DreamHost)
	note(t, notes, state.Copies)
	note(t, notes, state.Gone)
	declared := regexp.MustCompile(`Note\[.*\]\{Name: "(\w+)"`)
	err := filepath.WalkDir("..", func(path string, e os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		source, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(source, -1) {
			if notes[string(m[1])] == nil {
				t.Errorf("%s: the note %s must be in this test", path, m[1])
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return notes
}

func note[T any](t *testing.T, notes map[string]any, n state.Note[T]) { notes[n.Name] = filled[T](t) }

// fillTables adds a row to each table but for notes, which gets each of them, and returns all columns of text.
func fillTables(t *testing.T, raw *sql.DB, values map[string]any, notes []string) (columns [][2]string) {
	for _, table := range query(t, raw, "SELECT name FROM sqlite_schema WHERE type = 'table'") {
		if table == "notes" {
			for _, name := range notes {
				insert(t, raw, table, []any{name, inJSON(t, values[name])})
			}
		}
		var row []any
		types := query(t, raw, "SELECT type FROM pragma_table_info('"+table+"')")
		for i, column := range query(t, raw, "SELECT name FROM pragma_table_info('"+table+"')") {
			switch at := table + "." + column; {
			case types[i] == "INTEGER":
				row = append(row, 1)
				continue
			case at == "operations.record":
				row = append(row, inJSON(t, values["record"]))
			case at == "log.entry":
				row = append(row, inJSON(t, values["entry"]))
			case at == "texts.sum":
				row = append(row, string(memory.SumOf([]byte(secretText))))
			case types[i] == "BLOB":
				row = append(row, []byte(secretText))
			default:
				row = append(row, secretText)
			}
			columns = append(columns, [2]string{table, column})
		}
		if table != "notes" && table != "archive" {
			insert(t, raw, table, row)
		}
	}
	return columns
}

func inJSON(t *testing.T, v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func insert(t *testing.T, raw *sql.DB, table string, row []any) {
	places := strings.TrimSuffix(strings.Repeat("?,", len(row)), ",")
	if _, err := raw.Exec(fmt.Sprintf("INSERT OR REPLACE INTO %s VALUES (%s)", table, places), row...); err != nil {
		t.Fatal(table, err)
	}
}

func query(t *testing.T, raw *sql.DB, text string) (column []string) {
	rows, err := raw.Query(text)
	if err != nil {
		t.Fatal(text, err)
	}
	defer rows.Close()
	for rows.Next() {
		var v string
		if err := rows.Scan(&v); err != nil {
			t.Fatal(err)
		}
		column = append(column, v)
	}
	return column
}
