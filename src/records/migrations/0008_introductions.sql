-- When a profile was finished, whatever is said anew since; and in which topic a draft is gone on with.
ALTER TABLE onboarding ADD COLUMN finished_at BIGINT;
ALTER TABLE onboarding ADD COLUMN topic BIGINT;
UPDATE onboarding SET finished_at = changed_at WHERE profile IS NOT NULL;
