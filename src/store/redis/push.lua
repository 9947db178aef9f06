-- Hands an item over to a lane, once.
-- KEYS: lane, ready, owner, handed
-- ARGV: time offset, lane, packed token, mark of the item, item
-- Answers whether the lane is leased to the token
redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', now - SEEN_FOR * 1000)
if redis.call('ZSCORE', KEYS[4], ARGV[4]) then
  return redis.call('HGET', KEYS[3], ARGV[2]) == ARGV[3] and 1 or 0
end
redis.call('ZADD', KEYS[4], now, ARGV[4])
if redis.call('RPUSH', KEYS[1], ARGV[5]) > 1 then return 0 end
redis.call('ZADD', KEYS[2], string.format('%d', now + LANE_LEASE), ARGV[2])
redis.call('HSET', KEYS[3], ARGV[2], ARGV[3])
return 1
