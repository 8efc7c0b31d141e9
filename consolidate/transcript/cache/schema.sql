CREATE TABLE session (
	id       INTEGER PRIMARY KEY,
	path     TEXT NOT NULL UNIQUE, -- of the transcript; of a session in a database, that of the database followed by its ID
	project  TEXT,                 -- whose reader lists the database; null: a file of its own
	version  TEXT NOT NULL,        -- of what the rows were made by
	revision INTEGER NOT NULL,     -- counts the changes of the rows
	size     INTEGER NOT NULL,     -- of the transcript when it was read
	modified INTEGER NOT NULL,     -- nanoseconds since 1970; -1: it was not read to its end
	inode    INTEGER NOT NULL,
	head     INTEGER NOT NULL,     -- the sum of its first bytes
	block    INTEGER NOT NULL,     -- the sum of the bytes before the place where reading goes on
	state    TEXT NOT NULL,        -- of the reader at that place
	passed   TEXT NOT NULL,        -- what was passed over up to that place
	skipped  TEXT NOT NULL         -- what was passed over in all
) STRICT;

CREATE INDEX long ON session (path, version, skipped) WHERE instr(skipped, 'oversized lines');

CREATE TABLE utterance (
	session INTEGER NOT NULL,
	line    INTEGER NOT NULL,
	place   INTEGER NOT NULL,
	open    INTEGER NOT NULL, -- 1: it may be another when reading goes on
	seconds INTEGER,          -- since 1970; null: it has no time
	nanos   INTEGER NOT NULL,
	user    INTEGER NOT NULL, -- 1: the person said it; 0: the model; 2: another person; 3: a model remembers it
	manner  INTEGER NOT NULL,
	key     INTEGER NOT NULL, -- the same for copies; 0: none are known
	text    TEXT NOT NULL,    -- masked
	cwd     TEXT NOT NULL,
	branch  TEXT NOT NULL,
	origin  TEXT NOT NULL,
	uuid    TEXT NOT NULL,
	PRIMARY KEY (session, line, place)
) STRICT, WITHOUT ROWID;
