-- Coupons that one person each can take.
CREATE TABLE coupons (
    code TEXT NOT NULL PRIMARY KEY,
    taken_by BIGINT,
    taken_at BIGINT
);
