package sqlite

import (
	"fmt"
	"slices"
	"strings"

	"dream-mcp/memory/lazy"
)

// A Table is some columns of a table.
type Table struct {
	Missing bool // there is none of that name: it has no rows
	TooLong int  // rows longer than MaxRow that were passed over

	s       *Snapshot
	name    string
	root    uint32
	index   uint32 // by the first of the columns; 0: none
	columns int
	wanted  []int // for each field of a row, which of the columns it is; -1: none
}

// Table returns a table of a name, of whose rows some columns are read. Its errors are those of a table, or a column, that
// the package cannot read.
func (s *Snapshot) Table(name string, columns ...string) (*Table, error) {
	t := &Table{s: s, name: name, columns: len(columns)}
	var bytewise bool                                    // the first column is compared by its bytes
	err := s.walk(1, 1, everything, func(c cell) error { // the schema begins on the first page
		v, err := s.values(c)
		if err != nil || len(v) < 5 || !strings.EqualFold(string(v[2].Text), name) {
			return err
		}
		switch kind, root, sql := string(v[0].Text), uint32(v[3].Int), string(v[4].Text); {
		case kind == "table":
			t.root = root
			t.wanted, bytewise, err = layout(sql, columns)
		case kind == "index" && indexes(sql, columns):
			t.index = root
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("table %q: %w", name, err)
	}
	if t.Missing = t.root == 0; !bytewise {
		t.index = 0
	}
	return t, nil
}

// A Row has the values of the columns that were asked for, in that order. They are valid as long as the Row is kept.
type Row []Value

// Each calls row with each row of the table, until it returns an error.
func (t *Table) Each(row func(Row) error) error {
	if t.Missing {
		return nil
	}
	return t.s.walk(t.root, 1, everything, func(c cell) error { return t.visit(c, row) })
}

func (t *Table) visit(c cell, visit func(Row) error) error {
	values, err := t.s.values(c)
	if err != nil {
		return err
	}
	if values == nil {
		t.TooLong++
		return nil
	}
	row := make(Row, t.columns)
	for i, column := range t.wanted[:min(len(t.wanted), len(values))] {
		if column >= 0 {
			row[column] = values[i]
		}
	}
	return visit(row)
}

// Where calls row with each row whose first column, of those that were asked for, is a text. They come in the order of an
// index of which that is the first column; without one it is an error: tables may be huge.
func (t *Table) Where(first string, row func(Row) error) error {
	return t.keys(first, func(c cell) error {
		key, err := t.s.values(c)
		if err != nil {
			return err
		}
		found := 0
		err = t.s.walk(t.root, 1, byRowid(key[len(key)-1].Int), func(c cell) error {
			found++
			return t.visit(c, func(r Row) error {
				if string(r[0].Text) != first {
					found = 0
					return nil
				}
				return row(r)
			})
		})
		if err == nil && found != 1 {
			err = corrupt("an index of table %q is wrong", t.name)
		}
		return err
	})
}

// Count returns how many rows Where would find, and reads none of them.
func (t *Table) Count(first string) (n int, err error) {
	err = t.keys(first, func(cell) error {
		n++
		return nil
	})
	return n, err
}

// keys calls do with each key of the index whose first value is a text. Its last value is a rowid.
func (t *Table) keys(first string, do func(cell) error) error {
	if t.Missing {
		return nil
	}
	if t.index == 0 {
		return fmt.Errorf("table %q has no index by the column that is looked up", t.name)
	}
	return t.s.walk(t.index, 1, t.s.byText(first), do)
}

// layout returns which of the columns each field of a row is, by the statement that made the table.
func layout(sql string, columns []string) (wanted []int, bytewise bool, err error) {
	defs, options := definitions(sql)
	if len(defs) == 0 || slices.Contains(options, "WITHOUT") {
		return nil, false, fmt.Errorf("not one of rows")
	}
	for _, def := range defs {
		if len(def) == 0 || slices.Contains([]string{"CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"}, def[0]) {
			break
		}
		if slices.Contains(def[1:], "GENERATED") || slices.Contains(def[1:], "AS") {
			return nil, false, fmt.Errorf("it has generated columns")
		}
		column := slices.IndexFunc(columns, func(c string) bool { return isName(def[0], c) })
		wanted = append(wanted, column)
		bytewise = bytewise || column == 0 && !slices.Contains(def, "COLLATE")
	}
	for i, column := range columns {
		if !slices.Contains(wanted, i) {
			return nil, false, fmt.Errorf("it has no column %q", column)
		}
	}
	return wanted, bytewise, nil
}

// indexes reports whether an index, by the statement that made it, is of all rows, and ordered by the bytes of the first
// column first.
func indexes(sql string, columns []string) bool {
	defs, options := definitions(sql)
	if len(columns) == 0 || len(defs) == 0 || len(defs[0]) == 0 || len(options) > 0 {
		return false
	}
	order := defs[0][1:]
	return isName(defs[0][0], columns[0]) && (len(order) == 0 || len(order) == 1 && order[0] == "ASC")
}

// isName reports whether a word of a statement is a name, in quotes or not.
func isName(word, name string) bool { return strings.EqualFold(strings.Trim(word, "\"`'[]"), name) }

// token matches a comment, a quoted word, a sign or a word.
var token = lazy.New("(?s)--[^\n]*|/\\*.*?\\*/|\"(?:[^\"]|\"\")*\"|`(?:[^`]|``)*`|'(?:[^']|'')*'|\\[[^\\]]*\\]|[(),]|[^\\s(),\"`'\\[]+")

// definitions returns the words of each definition in the first parentheses of a statement, less those in parentheses of
// their own, and the words after them. Words are in capitals but for quoted ones, which keep their quotes.
func definitions(sql string) (defs [][]string, options []string) {
	depth := 0
	for _, word := range token.FindAllString(sql, -1) {
		if c := word[0]; c != '"' && c != '`' && c != '\'' && c != '[' {
			word = strings.ToUpper(word)
		}
		switch {
		case strings.HasPrefix(word, "--") || strings.HasPrefix(word, "/*"):
		case word == "(":
			if depth++; len(defs) == 0 {
				defs = append(defs, nil)
			}
		case word == ")":
			depth--
		case depth == 0 && len(defs) > 0:
			options = append(options, word)
		case depth != 1:
		case word == ",":
			defs = append(defs, nil)
		default:
			last := len(defs) - 1
			defs[last] = append(defs[last], word)
		}
	}
	return defs, options
}
