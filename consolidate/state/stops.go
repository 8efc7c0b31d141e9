package state

// Stop asks a dream to stop.
func (t Operations) Stop(id, reason string) error {
	return t.db.exec("INSERT OR REPLACE INTO stops VALUES (?, ?)", id, reason)
}

// StopAsked reports whether a dream was asked to stop, and why.
func (t Operations) StopAsked(id string) (reason string, asked bool) {
	found, err := t.db.ids("SELECT reason FROM stops WHERE operation = ?", id)
	return append(found, "")[0], err == nil && len(found) > 0
}

// ResetStop forgets that a dream was asked to stop.
func (t Operations) ResetStop(id string) error {
	return t.db.exec("DELETE FROM stops WHERE operation = ?", id)
}
