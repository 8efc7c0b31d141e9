-- What the listings of dreams showed of the sessions, so that the next dream is shown the rest.
CREATE TABLE listed (
	id         INTEGER PRIMARY KEY,
	dream      TEXT NOT NULL, -- '' for several dreams
	since_time TEXT,          -- sessions modified since then were listed; NULL: all
	shown_at   TEXT,          -- the time of the listing, if it was shown to its end
	shown      TEXT NOT NULL  -- JSON: by session, from which utterance to which
) STRICT;
