-- The names of listed.Marks: from when, and when the listing was taken, if it was shown to its end.
ALTER TABLE listed RENAME COLUMN since_time TO from_time;
ALTER TABLE listed RENAME COLUMN shown_at TO taken;
