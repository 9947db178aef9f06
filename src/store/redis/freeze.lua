-- Stops all sendings of the bot for a while; never shortens that.
-- KEYS: where its sendings end in µs, and when the freeze is over
-- ARGV: time offset, how long in µs
local micros = time[1] * 1000000 + time[2] + ARGV[1] * 1000
local ends, frozen = 0, 0
local kept = redis.call('GET', KEYS[1])
if kept then ends, frozen = struct.unpack('>I8I8', kept) end
frozen = math.max(frozen, micros + ARGV[2])
local left = math.max(1, math.ceil((math.max(ends, frozen) - micros) / 1000))
redis.call('SET', KEYS[1], struct.pack('>I8I8', ends, frozen), 'PX', left)
return 1
