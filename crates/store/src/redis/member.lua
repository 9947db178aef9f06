-- Reads a dialogue that has a timer, and takes away the timer of one that is over; see due.lua.
-- KEYS: record, timers
-- ARGV: time offset, dialogue
-- Answers {readable, record} or nothing
local record, version, _, labels = record_of(KEYS[1])
if record and (not version or labels > 0) then return {version and 1 or 0, record} end
redis.call('ZREM', KEYS[2], ARGV[2])
return false
