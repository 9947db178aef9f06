-- Takes sendings out of the limit of the whole bot.
-- KEYS: where its sendings end in µs, and when the freeze is over
-- ARGV: time offset, how many are wanted, time between sendings in µs or 0 for no limit, lead of a burst in µs
-- Answers {how many, how long to wait in µs, whether that is for a freeze}
local micros = time[1] * 1000000 + time[2] + ARGV[1] * 1000
local ends, frozen = 0, 0
local kept = redis.call('GET', KEYS[1])
if kept then ends, frozen = struct.unpack('>I8I8', kept) end
if frozen > micros then return {0, frozen - micros, 1} end

local want, every, lead = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
if every == 0 then return {want, 0, 0} end
local begin = math.max(ends, micros)
if begin - lead > micros then return {0, begin - lead - micros, 0} end
local granted = math.min(want, math.floor((micros + lead - begin) / every) + 1)
ends = begin + granted * every
redis.call('SET', KEYS[1], struct.pack('>I8I8', ends, frozen), 'PX', math.max(1, math.ceil((ends - micros) / 1000)))
return {granted, 0, 0}
