package state

import (
	"fmt"
	"strings"
	"testing"
)

// The version of a database is the number of its last migration.
func TestMigrationNumbers(t *testing.T) {
	files, err := migrations.ReadDir("migrations")
	do(t, err)
	for i, f := range files {
		if number := fmt.Sprintf("%02d_", i+1); !strings.HasPrefix(f.Name(), number) {
			t.Errorf("the migration %s must be %s…: databases have those before it, and get only those after them", f.Name(), number)
		}
	}
}
