-- How much there is to do in a partition.
-- KEYS: owner, dead, dropped
-- ARGV: time offset
-- Answers {lanes, ms the oldest has had work or nothing, dead letters, those that made room}
local owners, oldest = redis.call('HVALS', KEYS[1]), false
for _, owner in ipairs(owners) do
  local age = math.max(0, now - struct.unpack('>I8', owner))
  if not oldest or age > oldest then oldest = age end
end
return {#owners, oldest, redis.call('LLEN', KEYS[2]), tonumber(redis.call('GET', KEYS[3]) or 0)}
