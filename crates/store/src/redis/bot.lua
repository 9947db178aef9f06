-- What is kept of the pace of the whole bot: where its sendings end in µs, when the freeze is over, until when replies wait for
-- one, and when it was written. Older builds keep no more than the first two, or three, of these.
local micros = time[1] * 1000000 + time[2] + ARGV[1] * 1000
local function keep_bot(key, ends, frozen, replies)
  local left = math.max(1, math.ceil((math.max(ends, frozen, replies) - micros) / 1000))
  redis.call('SET', key, struct.pack('>I8I8I8I8', ends, frozen, replies, micros), 'PX', left)
end
local function bot_of(key)
  local kept = redis.call('GET', key)
  if not kept then return 0, 0, 0 end
  local ends, frozen, replies, written = struct.unpack('>I8I8I8I8', kept .. string.rep('\0', 32 - #kept))
  if written <= micros then return ends, frozen, replies end
  -- The clock was set back, and all this with it.
  local back = written - micros
  ends, frozen, replies = math.max(0, ends - back), math.max(0, frozen - back), math.max(0, replies - back)
  keep_bot(key, ends, frozen, replies)
  return ends, frozen, replies
end
