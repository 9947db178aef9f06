-- Hands an item over to a lane, once.
-- KEYS: lane, as which the other keys of its partition begin
-- ARGV: time offset, lane, packed token, mark of the item, item, limits or '' where nothing is sent, chat, 1 for messages or 2 for
--       broadcasts
-- Answers {0 queued, 1 leased to the token or 2 blocked, how long it has to wait in µs}
local place = string.sub(KEYS[1], 1, -#ARGV[2] - 1)
local handed = place .. 'handed'
local function wait_of(head)
  local is_paced = is_paced(place, ARGV[6], ARGV[7], head)
  return is_paced and reserve(place, ARGV[6], ARGV[7], tonumber(ARGV[8]), head) or 0
end

redis.call('ZREMRANGEBYSCORE', handed, '-inf', now - SEEN_FOR * 1000)
if redis.call('ZSCORE', handed, ARGV[4]) then
  local is_held = is_held(redis.call('HGET', place .. 'holders', ARGV[2]), ARGV[3])
  local head = is_held and redis.call('LINDEX', KEYS[1], 0)
  return head and {1, wait_of(head)} or {0, 0}
end
if ARGV[6] ~= '' and redis.call('SISMEMBER', place .. 'blocked', ARGV[7]) == 1 then return {2, 0} end
redis.call('ZADD', handed, now, ARGV[4])
if redis.call('RPUSH', KEYS[1], ARGV[5]) > 1 then return {0, 0} end
redis.call('ZADD', place .. 'ready', string.format('%d', now + LANE_LEASE), ARGV[2])
redis.call('HSET', place .. 'holders', ARGV[2], since(false) .. ARGV[3])
return {1, wait_of(ARGV[5])}
