-- Timers that are due, and lanes nobody works: those are leased.
-- KEYS: timers, ready, owner, sequence, what the clock has shown
-- ARGV: time offset, packed token, limit, least score of a timer, until when the caller waits for the answer
-- Answers {now, {dialogue, due, …}, {lane, …}, sequence, {those of the lanes that somebody held, …}}
local timers = redis.call('ZRANGEBYSCORE', KEYS[1], ARGV[4], now, 'WITHSCORES', 'LIMIT', 0, ARGV[3])
-- The clock was set back, and with it what lanes wait for.
local shown = tonumber(redis.call('GET', KEYS[5]) or 0)
if shown > now then
  local ready = redis.call('ZRANGE', KEYS[2], 0, -1, 'WITHSCORES')
  for at = 1, #ready, 2 do redis.call('ZADD', KEYS[2], ready[at + 1] - (shown - now), ready[at]) end
end
if shown > now or shown + CLOCK_NOTED <= now then redis.call('SET', KEYS[5], string.format('%d', now)) end
-- Redis may have stood still, and come to this when nobody waits for the answer any more. Lanes leased to nobody are lost to those
-- who hold them and have something to note.
local lanes = {}
if now - ARGV[1] <= tonumber(ARGV[5]) then
  lanes = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, ARGV[3])
end
local lapsed = {}
for _, lane in ipairs(lanes) do
  local owner = redis.call('HGET', KEYS[3], lane)
  if owner and #owner > 8 then lapsed[#lapsed + 1] = lane end
  redis.call('ZADD', KEYS[2], now + LANE_LEASE, lane)
  redis.call('HSET', KEYS[3], lane, since(owner) .. ARGV[2])
end
return {now, timers, lanes, tonumber(redis.call('GET', KEYS[4]) or 0), lapsed}
