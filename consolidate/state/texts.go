package state

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"

	"dream-mcp/memory"
)

// Text returns a text; nil for the sum "". It fails with fs.ErrNotExist if there is none, and with ErrDamaged if the
// text does not have its sum.
func (db *DB) Text(sum memory.Sum) (text []byte, err error) {
	if sum == "" {
		return nil, nil
	}
	if db == nil {
		return nil, fs.ErrNotExist
	}
	err = db.view(func(tx *Tx) error {
		text, err = tx.text(sum)
		return err
	})
	return text, err
}

// addTexts adds texts, and replaces those that are damaged. It returns the number of bytes that were not there.
func (tx *Tx) addTexts(texts map[memory.Sum][]byte) (added int64, err error) {
	for sum, text := range texts {
		_, err := tx.text(sum)
		if err == nil {
			continue
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrDamaged) {
			return 0, err
		}
		if text == nil {
			text = []byte{}
		}
		if _, err := tx.Exec("INSERT OR REPLACE INTO texts (sum, text) VALUES (?, ?)", string(sum), text); err != nil {
			return 0, err
		}
		added += int64(len(text))
	}
	return added, nil
}

func (tx *Tx) text(sum memory.Sum) ([]byte, error) {
	var text []byte
	err := tx.QueryRow("SELECT text FROM texts WHERE sum = ?", string(sum)).Scan(&text)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, fmt.Errorf("the archived content %s: %w", sum.Short(), fs.ErrNotExist)
	case err != nil:
		return nil, err
	case memory.SumOf(text) != sum:
		return nil, fmt.Errorf("the archived content %s does not have its sum: %w", sum.Short(), ErrDamaged)
	case text == nil:
		text = []byte{} // an empty file is not a missing one
	}
	return text, nil
}

// TextSize returns the number of bytes of a text. It fails with fs.ErrNotExist if there is none.
func (db *DB) TextSize(sum memory.Sum) (size int64, err error) {
	err = db.view(func(tx *Tx) error {
		return tx.QueryRow("SELECT length(text) FROM texts WHERE sum = ?", string(sum)).Scan(&size)
	})
	if errors.Is(err, sql.ErrNoRows) {
		err = fs.ErrNotExist
	}
	return size, err
}
