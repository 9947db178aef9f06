-- The language that a person has chosen, where it is not the one of their app.
ALTER TABLE users ADD COLUMN speaks TEXT;
