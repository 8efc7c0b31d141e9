-- The texts that memories had, have or are to have, each once.
CREATE TABLE texts (
	sum  TEXT PRIMARY KEY, -- SHA-256, in hex
	text BLOB NOT NULL
) STRICT;
