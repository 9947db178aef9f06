-- A replica's sign of life. A silence of all of them is an outage.
-- KEYS: beats, alive
-- ARGV: time offset, replica, its info unless it signs off
-- Answers {now, end of the outage or nothing, {replica, info, …}}
local alive = redis.call('HMGET', KEYS[2], 'last', 'outage')
-- A clock that was set back makes nothing last longer.
local last, outage = tonumber(alive[1] or now), math.min(tonumber(alive[2] or 0), now)
if now - last > OUTAGE_GAP then outage = now end
redis.call('HSET', KEYS[2], 'last', now, 'outage', outage)

if ARGV[3] then
  redis.call('HSET', KEYS[1], ARGV[2], struct.pack('>I8', now) .. ARGV[3])
else
  redis.call('HDEL', KEYS[1], ARGV[2])
end

local beats, living = redis.call('HGETALL', KEYS[1]), {}
for at = 1, #beats, 2 do
  local beat, info = struct.unpack('>I8', beats[at + 1]), string.sub(beats[at + 1], 9)
  if now - beat < BEAT_FOR then
    living[#living + 1] = beats[at]
    living[#living + 1] = info
    if beat > now then redis.call('HSET', KEYS[1], beats[at], struct.pack('>I8', now) .. info) end
  else
    redis.call('HDEL', KEYS[1], beats[at])
  end
end
return {now, outage > 0 and now - outage < OUTAGE_GRACE and outage, living}
