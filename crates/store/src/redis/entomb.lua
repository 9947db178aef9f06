-- Keeps a dead letter that belongs to no dialogue.
-- KEYS: dead, dropped
-- ARGV: time offset, dead letter
keep_letter(KEYS[1], KEYS[2], ARGV[2])
