-- Two tables
CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
INSERT INTO people (name) VALUES ('Ada'), ('Grace');
SELECT name FROM people ORDER BY name;
