-- Stops all sendings of the bot for a while; never shortens that.
-- KEYS: where its sendings end in µs, when the freeze is over, and until when replies wait for one
-- ARGV: time offset, how long in µs
local micros = time[1] * 1000000 + time[2] + ARGV[1] * 1000
local ends, frozen, replies = 0, 0, ''
local kept = redis.call('GET', KEYS[1])
if kept then
  ends, frozen = struct.unpack('>I8I8', kept)
  replies = string.sub(kept, 17)
end
frozen = math.max(frozen, micros + ARGV[2])
local left = math.max(1, math.ceil((math.max(ends, frozen) - micros) / 1000))
redis.call('SET', KEYS[1], struct.pack('>I8I8', ends, frozen) .. replies, 'PX', left)
return 1
