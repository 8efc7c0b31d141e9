-- Times that were texts such as 2026-11-18T09:14:03.000000000Z are nanoseconds since 1970, as all others. 0 is none.
DROP INDEX words_kept;

ALTER TABLE words RENAME COLUMN said TO was;
ALTER TABLE words ADD COLUMN said INTEGER NOT NULL DEFAULT 0;
UPDATE OR IGNORE words SET said = unixepoch(substr(was, 1, 19)) * 1000000000 + substr(was, 21, 9) WHERE was BETWEEN '1678' AND '2262';
ALTER TABLE words DROP COLUMN was;

ALTER TABLE words RENAME COLUMN kept TO was;
ALTER TABLE words ADD COLUMN kept INTEGER NOT NULL DEFAULT 0;
UPDATE OR IGNORE words SET kept = unixepoch(substr(was, 1, 19)) * 1000000000 + substr(was, 21, 9) WHERE was BETWEEN '1678' AND '2262';
ALTER TABLE words DROP COLUMN was;

ALTER TABLE reports RENAME COLUMN taken TO was;
ALTER TABLE reports ADD COLUMN taken INTEGER NOT NULL DEFAULT 0;
UPDATE OR IGNORE reports SET taken = unixepoch(substr(was, 1, 19)) * 1000000000 + substr(was, 21, 9) WHERE was BETWEEN '1678' AND '2262';
ALTER TABLE reports DROP COLUMN was;

ALTER TABLE shown RENAME COLUMN time TO was;
ALTER TABLE shown ADD COLUMN time INTEGER NOT NULL DEFAULT 0;
UPDATE OR IGNORE shown SET time = unixepoch(substr(was, 1, 19)) * 1000000000 + substr(was, 21, 9) WHERE was BETWEEN '1678' AND '2262';
ALTER TABLE shown DROP COLUMN was;

ALTER TABLE events RENAME COLUMN time TO was;
ALTER TABLE events ADD COLUMN time INTEGER NOT NULL DEFAULT 0;
UPDATE OR IGNORE events SET time = unixepoch(substr(was, 1, 19)) * 1000000000 + substr(was, 21, 9) WHERE was BETWEEN '1678' AND '2262';
ALTER TABLE events DROP COLUMN was;

CREATE INDEX words_kept ON words (kept);
