package state

// ArchiveUse is the size of the archive.
type ArchiveUse struct {
	Dreams   int   `json:"dreams"`
	Others   int   `json:"others"` // single writes, undos, restores
	Bytes    int64 `json:"bytes"`
	MaxBytes int64 `json:"max_bytes"`
	Pruned   int64 `json:"pruned"` // Bytes after the last pruning
}

// ArchiveUse returns the last size of the archive, if it was measured.
func (db *DB) ArchiveUse() (use ArchiveUse, measured bool, err error) {
	err = db.view(func(tx *Tx) error {
		measured, err = found(tx.QueryRow("SELECT dreams, others, bytes, most, pruned FROM archive").
			Scan(&use.Dreams, &use.Others, &use.Bytes, &use.MaxBytes, &use.Pruned))
		return err
	})
	return use, measured, err
}

// SetArchiveUse notes the size of the archive. A power cut may lose that.
func (db *DB) SetArchiveUse(use ArchiveUse) error {
	return db.cache(func(tx *Tx) error {
		_, err := tx.Exec("INSERT OR REPLACE INTO archive (one, dreams, others, bytes, most, pruned) VALUES (1, ?, ?, ?, ?, ?)",
			use.Dreams, use.Others, use.Bytes, use.MaxBytes, use.Pruned)
		return err
	})
}
