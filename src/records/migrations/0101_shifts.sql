-- Places where people work. An hour earns `rate`, in minor units.
CREATE TABLE objects (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    rate BIGINT NOT NULL,
    zone TEXT NOT NULL,
    active BIGINT NOT NULL,
    made_at BIGINT NOT NULL
);

-- When people work there: days of the week as bits, Monday first, and wall times in minutes after midnight.
CREATE TABLE slots (
    id TEXT NOT NULL PRIMARY KEY,
    object TEXT NOT NULL REFERENCES objects (id),
    days BIGINT NOT NULL,
    starts BIGINT NOT NULL,
    ends BIGINT NOT NULL,
    grace BIGINT NOT NULL,
    penalty BIGINT NOT NULL,
    active BIGINT NOT NULL,
    made_at BIGINT NOT NULL
);

CREATE INDEX slots_by_object ON slots (object);

-- What they do there: in every shift, or in those of one time slot.
CREATE TABLE tasks (
    id TEXT NOT NULL PRIMARY KEY,
    object TEXT NOT NULL REFERENCES objects (id),
    slot TEXT REFERENCES slots (id),
    title TEXT NOT NULL,
    price BIGINT NOT NULL,
    kind TEXT NOT NULL,
    media BIGINT NOT NULL,
    active BIGINT NOT NULL,
    made_at BIGINT NOT NULL
);

CREATE INDEX tasks_by_object ON tasks (object);

-- Shifts, with what was agreed when they were opened: later changes of an object do not touch them.
CREATE TABLE shifts (
    id TEXT NOT NULL PRIMARY KEY,
    no BIGINT NOT NULL,
    worker BIGINT NOT NULL,
    object TEXT NOT NULL REFERENCES objects (id),
    rate BIGINT NOT NULL,
    slot TEXT,
    slot_start BIGINT,
    slot_end BIGINT,
    grace BIGINT,
    penalty BIGINT,
    status TEXT NOT NULL,
    opened_at BIGINT NOT NULL,
    closed_at BIGINT,
    touched_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX shifts_by_no ON shifts (no);
CREATE UNIQUE INDEX shifts_open ON shifts (worker) WHERE status = 'open';

-- What was to be done in a shift, and what is done.
CREATE TABLE shift_tasks (
    shift TEXT NOT NULL REFERENCES shifts (id),
    task TEXT NOT NULL,
    place BIGINT NOT NULL,
    title TEXT NOT NULL,
    price BIGINT NOT NULL,
    kind TEXT NOT NULL,
    media BIGINT NOT NULL,
    done_at BIGINT,
    PRIMARY KEY (shift, task)
);

-- The photos that show it: where each was put, or why it never will be.
CREATE TABLE shift_media (
    shift TEXT NOT NULL REFERENCES shifts (id),
    task TEXT NOT NULL,
    place BIGINT NOT NULL,
    file_id TEXT NOT NULL,
    added_at BIGINT NOT NULL,
    path TEXT,
    lost TEXT,
    due_at BIGINT NOT NULL,
    PRIMARY KEY (shift, task, place)
);

CREATE INDEX shift_media_due ON shift_media (due_at) WHERE path IS NULL AND lost IS NULL;

-- The pay of a closed shift.
CREATE TABLE adjustments (
    shift TEXT NOT NULL REFERENCES shifts (id),
    place BIGINT NOT NULL,
    kind TEXT NOT NULL,
    amount BIGINT NOT NULL,
    task TEXT,
    PRIMARY KEY (shift, place)
);
