CREATE TABLE bicycles (
    model TEXT PRIMARY KEY,
    price BIGINT NOT NULL,
    stock BIGINT NOT NULL
);
CREATE TABLE sales (
    id TEXT PRIMARY KEY,
    model TEXT NOT NULL,
    buyer BIGINT,
    price BIGINT NOT NULL,
    sold_at BIGINT NOT NULL
);
