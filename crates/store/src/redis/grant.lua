-- Takes sendings out of the limit of the whole bot.
-- KEYS: pace of the bot
-- ARGV: time offset, how many are wanted, time between sendings in µs or 0 for no limit, lead of a burst in µs, kind of lane
-- Answers {how many, how long to wait in µs, whether that is for a freeze}
local ends, frozen, replies = bot_of(KEYS[1])
if frozen > micros then return {0, frozen - micros, 1} end

local want, every, lead = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
if every == 0 then return {want, 0, 0} end
if ARGV[5] == 'bulk' and replies > micros then return {0, replies - micros, 0} end
local begin, granted = math.max(ends, micros), 0
local wait = math.max(0, begin - lead - micros)
-- Those that are free now, or else those that are soon, one after the other.
local room = wait == 0 and micros + lead - begin or AHEAD - wait
if room >= 0 then granted = math.min(want, math.floor(room / every) + 1) end
local waits = ARGV[5] == 'lane' and (granted < want or wait > 0)
if granted > 0 or waits then
  ends = begin + granted * every
  if waits then replies = math.max(micros, ends - lead) + REPLIES_FIRST end
  keep_bot(KEYS[1], ends, frozen, replies)
end
return {granted, wait > AHEAD and wait - AHEAD or wait, 0}
