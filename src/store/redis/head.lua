-- The head of a lane that was just leased. A lane without one is given up.
-- KEYS: lane, ready, owner
-- ARGV: time offset, lane, packed token
-- Answers the item, or nothing
if redis.call('HGET', KEYS[3], ARGV[2]) ~= ARGV[3] then return false end
local head = redis.call('LINDEX', KEYS[1], 0)
if not head then
  redis.call('ZREM', KEYS[2], ARGV[2])
  redis.call('HDEL', KEYS[3], ARGV[2])
end
return head
