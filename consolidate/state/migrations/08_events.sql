-- What a dream does, for those that watch it. Nothing depends on it.
CREATE TABLE events (
	id       INTEGER PRIMARY KEY,
	dream    TEXT NOT NULL,
	time     TEXT,
	phase    TEXT NOT NULL,
	kind     TEXT NOT NULL,
	text     TEXT NOT NULL,
	hits     INTEGER NOT NULL,
	files    TEXT NOT NULL, -- JSON: of the event "read"
	sessions TEXT NOT NULL  -- JSON: of the event "map", the sessions to review
) STRICT;

CREATE INDEX events_of_dream ON events (dream);
