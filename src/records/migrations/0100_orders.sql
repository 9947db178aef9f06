-- Repair orders. The id comes from the step that began the order, so that the same one is never there twice; the number is for people.
CREATE TABLE orders (
    id TEXT NOT NULL PRIMARY KEY,
    no BIGINT NOT NULL UNIQUE,
    equipment TEXT NOT NULL,
    problem TEXT NOT NULL,
    client TEXT NOT NULL,
    address TEXT NOT NULL,
    phone TEXT NOT NULL,
    status TEXT NOT NULL,
    created_by BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    master BIGINT,
    assigned_at BIGINT,
    closed_at BIGINT
);

CREATE INDEX orders_by_status ON orders (status, no);
CREATE INDEX orders_by_master ON orders (master, status);

-- What a master reports of an order when it is closed: one report each, the amount in minor units.
CREATE TABLE reports (
    order_no BIGINT NOT NULL PRIMARY KEY REFERENCES orders (no),
    amount BIGINT NOT NULL,
    materials TEXT NOT NULL,
    review BIGINT NOT NULL,
    created_by BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);

-- Photos that people have sent, by Telegram's id; those of one set have one id and one caption.
CREATE TABLE photos (
    id TEXT NOT NULL,
    place BIGINT NOT NULL,
    owner BIGINT NOT NULL,
    file_id TEXT NOT NULL,
    caption TEXT,
    album TEXT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (id, place)
);

CREATE INDEX photos_by_owner ON photos (owner, created_at);

-- Conversations of people with those who answer them; what is said in them is not kept.
CREATE TABLE conversations (
    id TEXT NOT NULL PRIMARY KEY,
    person BIGINT NOT NULL,
    dispatcher BIGINT,
    opened_at BIGINT NOT NULL,
    claimed_at BIGINT,
    closed_at BIGINT
);

CREATE INDEX conversations_by_person ON conversations (person, closed_at);
CREATE INDEX conversations_by_end ON conversations (closed_at, opened_at);

-- Which message in a chat is part of which conversation, so that answering it is enough.
CREATE TABLE relays (
    chat BIGINT NOT NULL,
    message BIGINT NOT NULL,
    conversation TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (chat, message)
);
