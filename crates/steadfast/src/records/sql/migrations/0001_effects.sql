-- What became of each effect, so that a repeated one is answered as the first time.
CREATE TABLE effects (
    id TEXT NOT NULL PRIMARY KEY,
    outcome TEXT NOT NULL,
    reason TEXT,
    at BIGINT NOT NULL
);

CREATE INDEX effects_by_age ON effects (at);
