-- Gives a lane up for a while.
-- KEYS: claims, lanes
-- ARGV: time offset, lane, packed token, delay in ms
-- Answers whether it was held
local lane = redis.call('HGET', KEYS[2], ARGV[2])
if not is_held(lane, ARGV[3]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[4], ARGV[2])
redis.call('HSET', KEYS[2], ARGV[2], with_holder(lane, NOBODY))
return 1
