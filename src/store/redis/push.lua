-- Hands an item over to a lane, once.
-- KEYS: lane, ready, owner, handed, pace, blocked unless the lane is of jobs
-- ARGV: time offset, lane, packed token, mark of the item, item, limits, place, chat
-- Answers {0 queued, 1 leased to the token or 2 blocked, how long it has to wait in µs}
redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', now - SEEN_FOR * 1000)
if redis.call('ZSCORE', KEYS[4], ARGV[4]) then
  local head = is_held(redis.call('HGET', KEYS[3], ARGV[2]), ARGV[3]) and redis.call('LINDEX', KEYS[1], 0)
  return head and {1, reserve(KEYS[5], ARGV[6], tonumber(ARGV[7]), head)} or {0, 0}
end
if KEYS[6] and redis.call('SISMEMBER', KEYS[6], ARGV[8]) == 1 then return {2, 0} end
redis.call('ZADD', KEYS[4], now, ARGV[4])
if redis.call('RPUSH', KEYS[1], ARGV[5]) > 1 then return {0, 0} end
redis.call('ZADD', KEYS[2], string.format('%d', now + LANE_LEASE), ARGV[2])
redis.call('HSET', KEYS[3], ARGV[2], since(false) .. ARGV[3])
return {1, reserve(KEYS[5], ARGV[6], tonumber(ARGV[7]), ARGV[5])}
