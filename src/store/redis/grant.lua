-- Takes sendings out of the limit of the whole bot.
-- KEYS: where its sendings end in µs, when the freeze is over, and until when replies wait for one
-- ARGV: time offset, how many are wanted, time between sendings in µs or 0 for no limit, lead of a burst in µs, kind of lane
-- Answers {how many, how long to wait in µs, whether that is for a freeze}
local micros = time[1] * 1000000 + time[2] + ARGV[1] * 1000
local ends, frozen, replies = 0, 0, 0
local kept = redis.call('GET', KEYS[1])
if kept then ends, frozen = struct.unpack('>I8I8', kept) end
-- An older build keeps no more than those.
if kept and #kept == 24 then replies = struct.unpack('>I8', kept, 17) end
if frozen > micros then return {0, frozen - micros, 1} end

local want, every, lead = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
if every == 0 then return {want, 0, 0} end
-- Nothing lies further ahead than what is granted at most, unless the clock was set back.
if replies > micros + AHEAD + every + REPLIES_FIRST then replies = 0 end
if ARGV[5] == 'bulk' and replies > micros then return {0, replies - micros, 0} end
local furthest = micros + lead + AHEAD + every
local is_set_back = ends > furthest
ends = math.min(ends, furthest)
local begin, granted = math.max(ends, micros), math.min(want, 1)
local wait = math.max(0, begin - lead - micros)
if wait == 0 then granted = math.min(want, math.floor((micros + lead - begin) / every) + 1)
elseif wait > AHEAD then granted = 0 end
local waits = ARGV[5] == 'lane' and (granted < want or wait > 0)
if granted > 0 or waits or is_set_back then
  ends = begin + granted * every
  if waits then replies = math.max(micros, ends - lead) + REPLIES_FIRST end
  local left = math.max(1, math.ceil((math.max(ends, replies) - micros) / 1000))
  redis.call('SET', KEYS[1], struct.pack('>I8I8I8', ends, frozen, replies), 'PX', left)
end
return {granted, wait > AHEAD and wait - AHEAD or wait, 0}
