-- The words at the sources of memories, since hosts remove their transcripts.
CREATE TABLE words (
	source  TEXT PRIMARY KEY, -- as in the metadata of a memory
	session TEXT NOT NULL,
	speaker TEXT NOT NULL,
	said    TEXT,
	text    TEXT NOT NULL, -- masked and visible
	kept    TEXT NOT NULL  -- when they were copied
) STRICT;

CREATE INDEX words_kept ON words (kept);
