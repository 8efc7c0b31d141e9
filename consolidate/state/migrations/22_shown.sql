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
