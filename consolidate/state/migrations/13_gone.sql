-- When this database was created in the place of one that was gone, until the person has taken note of it.
CREATE TABLE gone (at TEXT NOT NULL) STRICT;
