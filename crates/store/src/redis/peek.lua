-- Reads a dialogue without touching it.
-- KEYS: record
-- ARGV: time offset
-- Answers {readable, record} or nothing
local record, version, when, labels = record_of(KEYS[1])
if not record or version and labels == 0 and when <= now then return false end
return {version and 1 or 0, record}
