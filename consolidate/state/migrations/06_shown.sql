-- Memories that sessions were shown or read.
CREATE TABLE shown (
	id      INTEGER PRIMARY KEY,
	time    TEXT NOT NULL,
	host    TEXT NOT NULL,
	session TEXT NOT NULL,
	event   TEXT NOT NULL,
	files   TEXT NOT NULL -- JSON
) STRICT;

CREATE INDEX shown_in_session ON shown (session);

-- A cache: the terms of each topic as hashes, so that a prompt reads only the topics that it touches.
CREATE TABLE terms (
	file     TEXT PRIMARY KEY,
	size     INTEGER NOT NULL, -- of the file
	modified INTEGER NOT NULL, -- in nanoseconds
	hashes   BLOB NOT NULL     -- sorted, 3 bytes each
) STRICT;
