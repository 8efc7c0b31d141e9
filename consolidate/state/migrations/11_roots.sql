-- The roots that the sessions of the project had: a worktree that is removed leaves its sessions.
CREATE TABLE roots (
	id   INTEGER PRIMARY KEY,
	path TEXT NOT NULL UNIQUE
) STRICT;
