package sqlite

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A part of the schema is a table or an index.
type part struct {
	kind, name, of string // of: the table of an index
	root           uint32
	sql            string // what it was made by; empty for an index that a constraint made
}

// readSchema reads the table of all parts, which begins on the first page.
func (s *Snapshot) readSchema() error {
	size := 0
	return s.rows(1, func(r record) error {
		if size += len(r); size > maxSchema || len(s.parts) >= maxParts {
			return errors.New("too big a schema")
		}
		var p part
		err := r.values(func(i int, v Value) bool {
			switch i {
			case 0:
				p.kind = string(v.Text())
			case 1:
				p.name = string(v.Text())
			case 2:
				p.of = string(v.Text())
			case 3:
				p.root = uint32(v.Int())
			case 4:
				p.sql = string(v.Text())
			}
			return true
		})
		s.parts = append(s.parts, p)
		return err
	})
}

// A Table is some columns of a table.
type Table struct {
	TooLong int // rows longer than MaxRow that were passed over

	s       *Snapshot
	name    string
	key     string // the column of a primary key, which has an index of its own
	root    uint32
	columns []string
	wanted  []int // the column that is at each place of a row; -1: none that is wanted
}

// Table returns a table of a name, of whose rows some columns are read. Its errors are ErrNoTable, and those of a table or
// a column that is not as the package has it.
func (s *Snapshot) Table(name string, columns ...string) (*Table, error) {
	for _, p := range s.parts {
		if p.kind != "table" || !strings.EqualFold(p.name, name) {
			continue
		}
		defs, options, err := definitions(p.sql)
		if err != nil || p.root == 0 || slices.Contains(options, "WITHOUT") {
			return nil, fmt.Errorf("table %q is not one of rows", name)
		}
		t := &Table{s: s, name: p.name, root: p.root, columns: columns}
		for _, def := range defs {
			if isConstraint(def) {
				break
			}
			if slices.Contains(def[1:], "GENERATED") || slices.Contains(def[1:], "AS") {
				return nil, fmt.Errorf("table %q has generated columns", name)
			}
			if slices.Contains(def[1:], "PRIMARY") && !slices.Contains(def, "COLLATE") && !slices.Contains(def, "DESC") {
				t.key = unquote(def[0])
			}
			t.wanted = append(t.wanted, slices.IndexFunc(columns, func(c string) bool { return strings.EqualFold(c, unquote(def[0])) }))
		}
		for i, column := range columns {
			if !slices.Contains(t.wanted, i) {
				return nil, fmt.Errorf("table %q has no column %q", name, column)
			}
		}
		return t, nil
	}
	return nil, fmt.Errorf("%w: %q", ErrNoTable, name)
}

// A Row has the values of the columns that were asked for, in that order. They hold as long as the Row is kept.
type Row []Value

func (t *Table) row(r record) (Row, error) {
	row := make(Row, len(t.columns))
	err := r.values(func(i int, v Value) bool {
		if i < len(t.wanted) && t.wanted[i] >= 0 {
			row[t.wanted[i]] = v
		}
		return i+1 < len(t.wanted)
	})
	return row, err
}

// Each calls row with each row of the table, until it returns an error.
func (t *Table) Each(row func(Row) error) error {
	return t.s.rows(t.root, func(r record) error { return t.pass(r, row) })
}

func (t *Table) pass(r record, to func(Row) error) error {
	if r == nil {
		t.TooLong++
		return nil
	}
	row, err := t.row(r)
	if err != nil {
		return err
	}
	return to(row)
}

// Where calls row with each row whose first column, of those that were asked for, is a text. They come in the order
// of an index of which that is the first column; without one it is an error: tables may be huge.
func (t *Table) Where(first string, row func(Row) error) error {
	return t.ids(first, func(id int64) error {
		r, err := t.s.rowByID(t.root, id)
		if err != nil {
			return err
		}
		return t.pass(r, func(found Row) error {
			if found[0].compare(first) != 0 {
				return corrupt("an index of table %q is wrong", t.name)
			}
			return row(found)
		})
	})
}

// Count returns how many rows Where would find, and reads none of them.
func (t *Table) Count(first string) (n int, err error) {
	err = t.ids(first, func(int64) error {
		n++
		return nil
	})
	return n, err
}

// ids calls id with the number of each row whose first column is a text.
func (t *Table) ids(first string, id func(int64) error) error {
	for _, p := range t.s.parts {
		if p.kind != "index" || p.root == 0 || !strings.EqualFold(p.of, t.name) || !t.begins(p) {
			continue
		}
		return t.s.keys(p.root, first, func(r record) error {
			var last Value
			if err := r.values(func(_ int, v Value) bool { last = v; return true }); err != nil {
				return err
			}
			return id(last.Int())
		})
	}
	return fmt.Errorf("table %q has no index by %q", t.name, t.columns[0])
}

// begins reports whether an index is of all rows, and in the order of the first column's bytes first.
func (t *Table) begins(p part) bool {
	if p.sql == "" { // made for the first constraint that needs one
		return strings.EqualFold(p.name, "sqlite_autoindex_"+t.name+"_1") && strings.EqualFold(t.key, t.columns[0])
	}
	defs, options, err := definitions(p.sql)
	if err != nil || len(options) > 0 || len(defs) == 0 || len(defs[0]) > 2 || len(defs[0]) == 2 && defs[0][1] != "ASC" {
		return false
	}
	return strings.EqualFold(unquote(defs[0][0]), t.columns[0])
}

func isConstraint(def []string) bool {
	return slices.Contains([]string{"CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"}, def[0])
}

// definitions splits what is in the first parentheses of a statement at its commas, each piece into words, less
// those in parentheses of their own; and returns the words after them. Words are in capitals but for quoted ones, which
// keep their quotes.
func definitions(sql string) (defs [][]string, options []string, err error) {
	depth := 0
	opened := false
	var def []string
	for rest := sql; ; {
		word := ""
		if word, rest = cutWord(rest); word == "" {
			break
		}
		switch {
		case word == "(":
			depth++
			opened = true
		case word == ")":
			if depth--; depth == 0 && def != nil {
				defs, def = append(defs, def), nil
			}
		case !opened:
		case depth == 0:
			options = append(options, word)
		case depth > 1:
		case word == ",":
			if def == nil {
				return nil, nil, errors.New("an empty definition")
			}
			defs, def = append(defs, def), nil
		default:
			def = append(def, word)
		}
	}
	if depth != 0 || !opened {
		return nil, nil, errors.New("no definitions")
	}
	return defs, options, nil
}

// closing are the quotes.
var closing = map[byte]string{'"': `"`, '`': "`", '\'': "'", '[': "]"}

// cutWord returns the first word or sign of a statement, and what is after it.
func cutWord(sql string) (word, rest string) {
	for {
		sql = strings.TrimLeft(sql, " \t\r\n\f")
		switch {
		case strings.HasPrefix(sql, "--"):
			_, sql, _ = strings.Cut(sql, "\n")
			continue
		case strings.HasPrefix(sql, "/*"):
			_, sql, _ = strings.Cut(sql[2:], "*/")
			continue
		case sql == "":
			return "", ""
		}
		break
	}
	if close := closing[sql[0]]; close != "" {
		end := 1
		for {
			i := strings.Index(sql[end:], close)
			if i < 0 {
				return sql, ""
			}
			if end += i + 1; !strings.HasPrefix(sql[end:], close) || close == "]" {
				return sql[:end], sql[end:]
			}
			end++ // a quote that is doubled stands for itself
		}
	}
	end := strings.IndexAny(sql, " \t\r\n\f(),\"`'[")
	if end == 0 {
		end = 1
	} else if end < 0 {
		end = len(sql)
	}
	return strings.ToUpper(sql[:end]), sql[end:]
}

// unquote is a name without its quotes.
func unquote(word string) string {
	close := closing[word[0]]
	if close == "" || len(word) < 2 {
		return word
	}
	return strings.ReplaceAll(word[1:len(word)-1], close+close, close)
}
