-- Invitations, each of which gives one person a role.
CREATE TABLE invitations (
    code TEXT NOT NULL PRIMARY KEY,
    role TEXT NOT NULL,
    created_by BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_by BIGINT,
    used_at BIGINT
);

-- What newcomers have said of themselves so far. One that is not finished is gone on with, also when the dialogue itself is lost.
CREATE TABLE onboarding (
    user_id BIGINT NOT NULL PRIMARY KEY,
    profile TEXT NOT NULL,
    is_finished BIGINT NOT NULL,
    changed_at BIGINT NOT NULL
);
