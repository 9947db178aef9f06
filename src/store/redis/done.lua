-- Takes an item off the head of a lane and answers the next one; a dead letter may go with it.
-- KEYS: lane, ready, owner, dead
-- ARGV: time offset, lane, packed token, id with a line feed, dead letter if any
-- Answers {held, next item or nothing}
local items = redis.call('LRANGE', KEYS[1], '0', '1')
local head = items[1]
if head and redis.call('HGET', KEYS[3], ARGV[2]) ~= ARGV[3] then return {0, false} end

if head and string.sub(head, 1, #ARGV[4]) == ARGV[4] then
  redis.call('LPOP', KEYS[1])
  if ARGV[5] then
    redis.call('LPUSH', KEYS[4], ARGV[5])
    redis.call('LTRIM', KEYS[4], 0, DEAD_MAX - 1)
  end
  head = items[2]
end
if not head then
  redis.call('ZREM', KEYS[2], ARGV[2])
  redis.call('HDEL', KEYS[3], ARGV[2])
end
return {1, head or false}
