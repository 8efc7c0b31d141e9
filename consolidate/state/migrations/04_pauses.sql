-- Until when hooks neither offer a dream nor start one, and what failed.
CREATE TABLE pauses (
	what     TEXT PRIMARY KEY, -- 'offer' or 'launch'
	after    TEXT,             -- by hooks
	retry    TEXT,             -- by a supervisor, after a failure
	failures INTEGER NOT NULL, -- in a row
	why      TEXT NOT NULL
) STRICT;

-- The background dream that runs, or whose supervisor died.
CREATE TABLE runs (
	id      TEXT PRIMARY KEY,
	started TEXT NOT NULL,
	pid     INTEGER NOT NULL
) STRICT;

-- Reports on dreams that the person has not seen.
CREATE TABLE reports (
	dream     TEXT PRIMARY KEY,
	outcome   TEXT NOT NULL,
	report    TEXT NOT NULL,
	decisions TEXT NOT NULL,
	taken     TEXT -- when a process began to deliver it
) STRICT;

-- The last count of sessions by a hook that found too few.
CREATE TABLE counts (
	one     INTEGER PRIMARY KEY CHECK (one = 1),
	counted TEXT NOT NULL,
	since   TEXT, -- the time of the last consolidation, if there was one
	found   INTEGER NOT NULL
) STRICT;
