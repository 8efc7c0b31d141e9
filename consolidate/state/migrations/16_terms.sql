-- A prompt reads the topics themselves.
DROP TABLE terms;
