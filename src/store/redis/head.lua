-- The head of a lane that was just leased. A lane without one is given up.
-- KEYS: lane, as which the other keys of its partition begin
-- ARGV: time offset, lane, packed token, limits, chat, 1 for messages or 2 for broadcasts
-- Answers {item, how long it has to wait in µs}, or nothing
local place = string.sub(KEYS[1], 1, -#ARGV[2] - 1)
if not is_held(redis.call('HGET', place .. 'holders', ARGV[2]), ARGV[3]) then return false end
local head = redis.call('LINDEX', KEYS[1], 0)
if head then
  local is_paced = is_paced(place, ARGV[4], ARGV[5], head)
  return {head, is_paced and reserve(place, ARGV[4], ARGV[5], tonumber(ARGV[6]), head) or 0}
end
redis.call('ZREM', place .. 'ready', ARGV[2])
redis.call('HDEL', place .. 'holders', ARGV[2])
return false
