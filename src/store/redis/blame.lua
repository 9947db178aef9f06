-- Notes a failed try, in a bare record if there is none, or takes it back.
-- KEYS: record
-- ARGV: time offset, packed cause, packed turn, '1' to note or '0' to take back
-- Answers how many tries are on record
local record = redis.call('GET', KEYS[1])
if record then
  if not string.find(record, '^[rcbd]') then return redis.error_reply('WRONGTYPE the record is not in a known format') end
  local when, _, labels = struct.unpack('>I8c8I2', record, 27)
  if labels == 0 and when <= now then record = false end
end

if not record then
  if ARGV[4] == '0' then return 0 end
  local bare = 'b' .. ARGV[2] .. ARGV[3] .. '\1'
    .. struct.pack('>I8I8I8I2I4', now, now + SEEN_FOR * 1000, 0, 0, 0)
  redis.call('SET', KEYS[1], bare, 'PX', SEEN_FOR * 1000)
  return 1
end

local tries = 0
if string.sub(record, 2, 9) == ARGV[2] then tries = string.byte(record, 18) end
local noted = tries > 0 and string.sub(record, 10, 17) == ARGV[3]
if ARGV[4] == '1' and not noted then
  tries = math.min(tries + 1, 255)
  redis.call('SETRANGE', KEYS[1], 1, ARGV[2] .. ARGV[3] .. string.char(tries))
elseif ARGV[4] == '0' and noted then
  tries = tries - 1
  redis.call('SETRANGE', KEYS[1], 9, string.rep('\0', 8) .. string.char(tries))
end
return tries
