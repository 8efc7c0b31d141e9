-- What the last two dreams left in the memory directory: the second counts when the last is undone.
CREATE TABLE left_by_dreams (
	dream   TEXT PRIMARY KEY,
	time    TEXT NOT NULL,
	files   TEXT NOT NULL, -- JSON: by file, the marks of its passages
	project TEXT NOT NULL, -- as it is named to the person
	folder  TEXT NOT NULL, -- the memory directory
	about   TEXT NOT NULL  -- JSON: the beginnings of the memories about the person, for the dreams of other projects
) STRICT;

-- Memories that the person does not want in all projects.
CREATE TABLE declined (file TEXT PRIMARY KEY) STRICT;

-- Memories without a line in the index because it was full, in the order in which they are to get one.
CREATE TABLE unindexed (
	place INTEGER PRIMARY KEY,
	file  TEXT NOT NULL UNIQUE
) STRICT;

-- The last findings of the rule drift, since a hook has no time to check it.
CREATE TABLE doubts (
	file    TEXT PRIMARY KEY,
	sum     TEXT NOT NULL, -- of the text that it was found in
	message TEXT NOT NULL
) STRICT;
