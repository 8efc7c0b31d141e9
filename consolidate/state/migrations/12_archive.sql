-- How much the operations that have landed are: dreams, and the others.
CREATE TABLE archive (
	dream      INTEGER PRIMARY KEY, -- 1 or 0
	operations INTEGER NOT NULL,
	bytes      INTEGER NOT NULL
) STRICT;

INSERT INTO archive VALUES (0, 0, 0), (1, 0, 0);
UPDATE archive SET (operations, bytes) =
	(SELECT count(*), coalesce(sum(bytes), 0) FROM operations WHERE state = 'landed' AND (kind = 'dream') = archive.dream);

CREATE TRIGGER operation_added AFTER INSERT ON operations WHEN new.state = 'landed' BEGIN
	UPDATE archive SET operations = operations + 1, bytes = bytes + new.bytes WHERE dream = (new.kind = 'dream');
END;
CREATE TRIGGER operation_removed AFTER DELETE ON operations WHEN old.state = 'landed' BEGIN
	UPDATE archive SET operations = operations - 1, bytes = bytes - old.bytes WHERE dream = (old.kind = 'dream');
END;

-- When a change landed, 0 before, to find the last of each file.
ALTER TABLE changes ADD COLUMN landed INTEGER NOT NULL DEFAULT 0;
UPDATE changes SET landed = coalesce((SELECT landed FROM operations WHERE id = operation AND state = 'landed'), 0);
DROP INDEX changes_by_name;
CREATE INDEX changes_by_name ON changes (name, landed, operation);
