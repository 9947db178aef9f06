-- How much there is to do in a partition.
-- KEYS: owner, dead, dropped
-- ARGV: time offset, names of the kinds of lanes
-- Answers {lanes, those of broadcasts, dead letters, those that made room, {for each kind: ms the oldest has had work, or nothing},
--          effects}
local owners, bulk, oldest, effects = redis.call('HGETALL', KEYS[1]), 0, {}, 0
local place = string.match(KEYS[1], '^(.*:).-$')
for at = 1, #owners, 2 do
  local kind = string.match(owners[at], '^%a+')
  local age = math.max(0, now - struct.unpack('>I8', owners[at + 1]))
  if kind == 'bulk' then bulk = bulk + 1 end
  effects = effects + redis.call('LLEN', place .. owners[at])
  oldest[kind] = math.max(oldest[kind] or 0, age)
end
local ages = {}
for at = 2, #ARGV do ages[at - 1] = oldest[ARGV[at]] or false end
return {#owners / 2, bulk, redis.call('LLEN', KEYS[2]), tonumber(redis.call('GET', KEYS[3]) or 0), ages, effects}
