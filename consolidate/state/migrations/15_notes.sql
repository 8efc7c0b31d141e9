-- Values that are read and written as a whole, as JSON.
CREATE TABLE notes (
	name  TEXT PRIMARY KEY,
	value TEXT NOT NULL
) STRICT;

INSERT INTO notes
	SELECT what, json_object('After', after, 'Retry', retry, 'Failures', failures, 'Why', why) FROM pauses
	UNION ALL SELECT * FROM (SELECT 'run', json_object('ID', id, 'Started', started, 'PID', pid) FROM runs LIMIT 1)
	UNION ALL SELECT 'count', json_object('Time', counted, 'Since', json_object('exists', json(iif(since IS NULL, 'false', 'true')), 'time', since), 'Found', found) FROM counts
	UNION ALL SELECT 'doubts', json_group_object(file, json_object('Sum', sum, 'Message', message)) FROM doubts
	UNION ALL SELECT 'left', json_group_array(json_object('Dream', dream, 'Time', time, 'Files', json(files), 'Project', project,
		'Folder', folder, 'About', json(about)) ORDER BY rowid DESC) FROM left_by_dreams
	UNION ALL SELECT 'declined', json_group_object(file, json('true')) FROM declined
	UNION ALL SELECT 'unindexed', json_group_array(file ORDER BY place) FROM unindexed
	UNION ALL SELECT 'listed', json_group_array(json_object('Dream', dream, 'From', from_time, 'Taken', taken, 'Shown', json(shown)) ORDER BY id) FROM listed
	UNION ALL SELECT 'roots', json_group_array(path ORDER BY id) FROM roots
	UNION ALL SELECT 'share', state FROM share
	UNION ALL SELECT 'machine', json_quote(id) FROM machine
	UNION ALL SELECT 'dream_host', json_quote(host) FROM dream_host
	UNION ALL SELECT 'copies', json_group_object(file, json_object('Text', text, 'Ours', json(iif(ours, 'true', 'false')),
		'Except', json(iif(excepted, 'true', 'false')), 'New', json(iif(new, 'true', 'false')))) FROM copies
	UNION ALL SELECT 'gone', json_quote(at) FROM gone;

DROP TABLE pauses;
DROP TABLE runs;
DROP TABLE counts;
DROP TABLE doubts;
DROP TABLE left_by_dreams;
DROP TABLE declined;
DROP TABLE unindexed;
DROP TABLE listed;
DROP TABLE roots;
DROP TABLE share;
DROP TABLE machine;
DROP TABLE dream_host;
DROP TABLE copies;
DROP TABLE gone;
