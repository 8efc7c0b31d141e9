-- How operations began and ended.
CREATE TABLE log (
	seq       INTEGER PRIMARY KEY,
	operation TEXT NOT NULL,
	kind      TEXT NOT NULL,
	outcome   TEXT NOT NULL,
	undoes    TEXT NOT NULL,    -- the operation that it undoes, or ''
	undone    INTEGER NOT NULL, -- by a later operation that is not undone itself
	files     INTEGER NOT NULL, -- how many it changed
	entry     TEXT NOT NULL     -- the whole, in JSON
) STRICT;

CREATE INDEX log_by_operation ON log (operation);
CREATE INDEX log_by_kind ON log (kind, seq);
CREATE INDEX log_of_changes ON log (seq) WHERE files > 0;

CREATE TABLE log_files (
	file TEXT NOT NULL,
	seq  INTEGER NOT NULL,
	PRIMARY KEY (file, seq)
) STRICT, WITHOUT ROWID;
