-- How much there is to do in a partition.
-- KEYS: owner, dead, dropped
-- ARGV: time offset
-- Answers {lanes, those of broadcasts, ms the oldest has had work or nothing, dead letters, those that made room}
local owners, bulk, oldest = redis.call('HGETALL', KEYS[1]), 0, false
for at = 1, #owners, 2 do
  if string.sub(owners[at], 1, 5) == 'bulk:' then bulk = bulk + 1 end
  local age = math.max(0, now - struct.unpack('>I8', owners[at + 1]))
  if not oldest or age > oldest then oldest = age end
end
return {#owners / 2, bulk, oldest, redis.call('LLEN', KEYS[2]), tonumber(redis.call('GET', KEYS[3]) or 0)}
