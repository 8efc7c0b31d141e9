package transcript

// A setting is what stays the same from record to record: where the work is done, in which session, by which
// version of a host. Each record repeats it, in one place and in the same bytes, so a third of the strings of a
// line need not be walked over.
type setting struct {
	spelt  []byte // the fields as they stand in a line, from the comma before the first on; empty: none are known
	values record // what they say
	misses int    // how many records had others since one had these
}

// ofSetting reports whether a field is one of a setting.
func ofSetting(key []byte) bool {
	switch string(key) {
	case "isSidechain", "userType", "entrypoint", "cwd", "sessionId", "session_id", "agentId", "version", "gitBranch", "slug":
		return true
	}
	return false
}

const (
	minSetting = 4       // fields that are worth it
	maxSetting = 4 << 10 // bytes that are
	manyMisses = 4       // after so many another setting is learnt
)

// A settingSeeker looks for the setting of one record, field by field.
type settingSeeker struct {
	known  *setting // nil: nobody looks
	done   bool     // it was met, or another is learnt
	fields int      // of one, in a row
	begin  int      // where they stand in the line
	end    int
}

// behind returns where to go on behind a field, which ends at a place of the line: behind the setting, where
// that follows.
func (s *settingSeeker) behind(r *record, line, key []byte, end int) int {
	switch {
	case s.known == nil || s.done || end == odd:
		return end
	case ofSetting(key):
		s.fields, s.end = s.fields+1, end
		return end
	}
	if s.learn(line); s.done {
		return end
	}
	s.begin, s.fields = end, 0
	n := len(s.known.spelt)
	if n == 0 || n > len(line)-end || string(line[end:end+n]) != string(s.known.spelt) {
		return end
	}
	s.done, s.known.misses = true, 0
	v := &s.known.values // all that a record keeps of what ofSetting names
	if !(r.Sidechain.set(v.Sidechain) && r.Session.set(v.Session) && r.CWD.set(v.CWD) && r.Branch.set(v.Branch)) {
		return odd
	}
	return end + n
}

// set notes a value, if there is one, and reports whether none was known yet: a key that comes twice is odd.
func (v *raw) set(to raw) bool {
	if to == nil {
		return true
	}
	first := *v == nil
	*v = to
	return first
}

// learn takes in the fields in a row, where a field that is none of a setting, or the end of the record, comes
// behind them.
func (s *settingSeeker) learn(line []byte) {
	if s.known != nil && !s.done && s.fields >= minSetting {
		s.done = true
		s.known.learn(line[s.begin:s.end])
	}
}

// learn takes in the setting of a record that has another.
func (s *setting) learn(spelt []byte) {
	if s.misses++; s.misses < manyMisses && len(s.spelt) > 0 {
		return
	}
	if spelt[0] != ',' || len(spelt) > maxSetting || spelt[len(spelt)-1]-'0' < 10 { // a number may go on elsewhere
		return
	}
	s.spelt, s.misses = s.spelt[:0], 0
	line := append([]byte{'{'}, spelt[1:]...)
	if s.values.walk(append(line, '}'), nil) {
		s.spelt = append(s.spelt, spelt...)
	}
}
