-- Everybody who has written to the bot. Those seen in groups only have no private chat, and the bot cannot write to them.
-- Whether messages reach a chat is known where the lanes are. `language` is that of their app, `speaks` the one they have chosen.
CREATE TABLE users (
    id BIGINT NOT NULL PRIMARY KEY,
    chat BIGINT,
    name TEXT NOT NULL,
    username TEXT NOT NULL,
    language TEXT NOT NULL,
    speaks TEXT,
    first_seen BIGINT NOT NULL,
    last_seen BIGINT NOT NULL
);

-- Roles that were given; those of the configuration come on top. A person may have a role before they are in the table above.
CREATE TABLE roles (
    role TEXT NOT NULL,
    user_id BIGINT NOT NULL,
    given_at BIGINT NOT NULL,
    given_by BIGINT,
    PRIMARY KEY (role, user_id)
);

CREATE INDEX roles_by_user ON roles (user_id);
