-- The size of the archive when it was last measured.
CREATE TABLE archive (
	one    INTEGER PRIMARY KEY CHECK (one = 1),
	dreams INTEGER NOT NULL,
	others INTEGER NOT NULL, -- single writes, undos, restores
	bytes  INTEGER NOT NULL,
	most   INTEGER NOT NULL, -- its limit, in bytes
	pruned INTEGER NOT NULL  -- bytes after the last pruning
) STRICT;
