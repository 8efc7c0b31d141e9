-- What is known of the share of this memory between two runs.
CREATE TABLE share (
	one   INTEGER PRIMARY KEY CHECK (one = 1),
	state TEXT NOT NULL -- JSON
) STRICT;

-- The name of this machine for this memory, which stays when a share ends.
CREATE TABLE machine (
	one INTEGER PRIMARY KEY CHECK (one = 1),
	id  TEXT NOT NULL
) STRICT;

-- The copies of the person's memories that this project has.
CREATE TABLE copies (
	file     TEXT PRIMARY KEY,
	text     TEXT NOT NULL,    -- as project and person had it last, without its sources
	ours     INTEGER NOT NULL, -- it was here before it was the person's, and stays
	excepted INTEGER NOT NULL, -- the person wants this project to go without it
	new      INTEGER NOT NULL  -- the other projects do not have it yet
) STRICT;

-- The program that a person last had dream.
CREATE TABLE dream_host (
	one  INTEGER PRIMARY KEY CHECK (one = 1),
	host TEXT NOT NULL
) STRICT;
