-- Timers that are due, and lanes nobody works: those are leased.
-- KEYS: timers, ready, owner, sequence
-- ARGV: time offset, packed token, limit, least score of a timer, until when the caller waits for the answer
-- Answers {now, {dialogue, due, …}, {lane, …}, sequence}
local timers = redis.call('ZRANGEBYSCORE', KEYS[1], ARGV[4], now, 'WITHSCORES', 'LIMIT', 0, ARGV[3])
-- Redis may have stood still, and come to this when nobody waits for the answer any more. Lanes leased to nobody are lost to those
-- who hold them and have something to note.
local lanes = {}
if now - ARGV[1] <= tonumber(ARGV[5]) then
  lanes = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, ARGV[3])
end
for _, lane in ipairs(lanes) do
  redis.call('ZADD', KEYS[2], now + LANE_LEASE, lane)
  redis.call('HSET', KEYS[3], lane, since(redis.call('HGET', KEYS[3], lane)) .. ARGV[2])
end
return {now, timers, lanes, tonumber(redis.call('GET', KEYS[4]) or 0)}
