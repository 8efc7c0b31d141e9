package endtoend

import (
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite"
)

// stateDB runs a statement on the database of each memory: statedb SQL. It prints the rows, with "|" between their
// columns.
func stateDB() {
	paths, _ := fs.Glob(os.DirFS(os.Getenv("STATE")), "*/state.db")
	for _, path := range paths {
		if err := runStatement(filepath.Join(os.Getenv("STATE"), path), os.Args[1]); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", path, err)
			os.Exit(1)
		}
	}
}

func runStatement(path, statement string) error {
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(path)+"?_pragma=busy_timeout(5000)")
	if err != nil {
		return err
	}
	defer db.Close()
	rows, err := db.Query(statement)
	if err != nil {
		return err
	}
	defer rows.Close()
	names, err := rows.Columns()
	for err == nil && rows.Next() {
		row, to := make([]any, len(names)), make([]any, len(names))
		for i := range row {
			to[i] = &row[i]
		}
		err = rows.Scan(to...)
		shown := make([]string, len(row))
		for i, v := range row {
			shown[i] = fmt.Sprint(v)
		}
		fmt.Println(strings.Join(shown, "|"))
	}
	if err == nil {
		err = rows.Err()
	}
	return err
}
