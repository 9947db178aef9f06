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

-- What people have said of themselves, and what they are saying anew: a draft is gone on with, also when the dialogue itself is lost.
-- `finished_at` is when a profile was finished, whatever is said anew since; `topic` is where a draft is gone on with.
CREATE TABLE onboarding (
    user_id BIGINT NOT NULL PRIMARY KEY,
    profile TEXT,
    draft TEXT,
    changed_at BIGINT NOT NULL,
    finished_at BIGINT,
    topic BIGINT
);
