-- What changed the memory, is about to, or waits: dreams, single writes, undos, restores, syncs.
CREATE TABLE operations (
	id        TEXT PRIMARY KEY,
	kind      TEXT NOT NULL,
	undoes    TEXT NOT NULL,    -- the operation that it undoes, or ''
	state     TEXT NOT NULL,    -- staged, landing or landed
	waits     INTEGER NOT NULL, -- for the person's answer
	last_call INTEGER NOT NULL, -- nanoseconds since 1970, as all times; 0 for none
	landed    INTEGER NOT NULL, -- 0 before its landing
	only_copy INTEGER NOT NULL, -- it deleted or displaced a file
	bytes     INTEGER NOT NULL, -- of the texts that it added
	record    TEXT NOT NULL     -- the whole but for the changes, in JSON; the columns repeat what queries need
) STRICT;

CREATE INDEX operations_by_state ON operations (state, landed, id, kind, undoes, waits, last_call, only_copy, bytes);

-- The files of an operation, in the order in which they land.
CREATE TABLE changes (
	operation   TEXT NOT NULL,
	position    INTEGER NOT NULL,
	name        TEXT NOT NULL,
	before      TEXT NOT NULL, -- the sum of a text, '' for no file
	before_time INTEGER NOT NULL,
	before_mode INTEGER NOT NULL,
	after       TEXT NOT NULL,
	after_time  INTEGER NOT NULL,
	after_mode  INTEGER NOT NULL,
	same        INTEGER NOT NULL, -- the text says the same
	temp        TEXT NOT NULL, -- while it lands
	PRIMARY KEY (operation, position)
) STRICT, WITHOUT ROWID;

CREATE INDEX changes_by_name ON changes (name, operation);

-- The texts that an operation needs. A text that no operation needs is removed.
CREATE TABLE needs (
	operation TEXT NOT NULL,
	sum       TEXT NOT NULL,
	PRIMARY KEY (operation, sum)
) STRICT, WITHOUT ROWID;

CREATE INDEX needs_by_sum ON needs (sum);

-- The dreams that were asked to stop, and why.
CREATE TABLE stops (
	operation TEXT PRIMARY KEY,
	reason    TEXT NOT NULL
) STRICT;
