package database

import "database/sql"

// All returns a function that reads the rows of a query, which Query returned. columns returns where the columns of a
// row go.
func All[T any](columns func(*T) []any) func(*sql.Rows, error) ([]T, error) {
	return func(rows *sql.Rows, err error) (all []T, _ error) {
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		for rows.Next() {
			var t T
			if err := rows.Scan(columns(&t)...); err != nil {
				return nil, err
			}
			all = append(all, t)
		}
		return all, rows.Err()
	}
}
