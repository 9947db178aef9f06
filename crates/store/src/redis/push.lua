-- Hands an item over to a lane, once.
-- KEYS: lanes, as which the other keys of its partition begin
-- ARGV: time offset, lane, packed token, mark of the item, item, limits or '' where nothing is sent, chat, 1 for messages or 2 for
--       broadcasts
-- Answers {0 queued, 1 leased to the token or 2 blocked, how long it has to wait in µs}
local place = string.sub(KEYS[1], 1, -#'lanes' - 1)
local handed = place .. 'handed'
local function wait_of(head)
  local is_paced = is_paced(place, ARGV[6], ARGV[7], head)
  return is_paced and reserve(place, ARGV[6], ARGV[7], tonumber(ARGV[8]), head) or 0
end

redis.call('ZREMRANGEBYSCORE', handed, '-inf', now - SEEN_FOR * 1000)
if redis.call('ZSCORE', handed, ARGV[4]) then
  local lane = redis.call('HGET', KEYS[1], ARGV[2])
  return is_held(lane, ARGV[3]) and {1, wait_of(head_of(lane))} or {0, 0}
end
if ARGV[6] ~= '' and redis.call('SISMEMBER', place .. 'blocked', ARGV[7]) == 1 then return {2, 0} end
redis.call('ZADD', handed, now, ARGV[4])
return put(place, ARGV[2], ARGV[3], 5, 5) and {1, wait_of(ARGV[5])} or {0, 0}
