-- How much there is to do in a partition.
-- KEYS: lanes, dead, dropped
-- ARGV: time offset, names of the kinds of lanes
-- Answers {lanes, those of broadcasts, dead letters, those that made room, {for each kind: ms the oldest has had work, or nothing},
--          effects}
local lanes, bulk, oldest, effects = redis.call('HGETALL', KEYS[1]), 0, {}, 0
local place = string.sub(KEYS[1], 1, -#'lanes' - 1)
for at = 1, #lanes, 2 do
  local name, lane = lanes[at], lanes[at + 1]
  local kind = string.match(name, '^%a+')
  local age = math.max(0, now - struct.unpack('>I8', lane))
  if kind == 'bulk' then bulk = bulk + 1 end
  effects = effects + 1 + (has_more(lane) and redis.call('LLEN', place .. 'behind:' .. name) or 0)
  oldest[kind] = math.max(oldest[kind] or 0, age)
end
local ages = {}
for at = 2, #ARGV do ages[at - 1] = oldest[ARGV[at]] or false end
return {#lanes / 2, bulk, redis.call('LLEN', KEYS[2]), tonumber(redis.call('GET', KEYS[3]) or 0), ages, effects}
