-- Puts off what is to be sent to a chat; never shortens that.
-- KEYS: pace of the chat
-- ARGV: time offset, limits, how long in µs
local micros = time[1] * 1000000 + time[2] + ARGV[1] * 1000
local ends, heads, ids = pacing_of(KEYS[1], micros)
local _, lead = unpacked(ARGV[2])
local till = micros + ARGV[3]
for both = 1, 2 do
  heads[both] = math.max(heads[both], till)
  ends[both] = math.max(ends[both], till + lead[both])
end
keep_pacing(KEYS[1], micros, ends, heads, ids)
return 1
