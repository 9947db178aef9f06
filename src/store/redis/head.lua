-- The head of a lane that was just leased. A lane without one is given up.
-- KEYS: lane, ready, owner, pace
-- ARGV: time offset, lane, packed token, limits, place
-- Answers {item, how long it has to wait in µs}, or nothing
if not is_held(redis.call('HGET', KEYS[3], ARGV[2]), ARGV[3]) then return false end
local head = redis.call('LINDEX', KEYS[1], 0)
if head then return {head, reserve(KEYS[4], ARGV[4], tonumber(ARGV[5]), head)} end
redis.call('ZREM', KEYS[2], ARGV[2])
redis.call('HDEL', KEYS[3], ARGV[2])
return false
