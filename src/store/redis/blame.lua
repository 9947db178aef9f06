-- Notes a failed try, in a bare record if there is none, or takes it back.
-- KEYS: record
-- ARGV: time offset, packed cause, packed turn, '1' to note or '0' to take back
-- Answers how many tries are on record
local record = redis.call('GET', KEYS[1])
if record then
  if not string.find(record, '^[RCDB]') then return redis.error_reply('WRONGTYPE the record is not in a known format') end
  local when, _, labels = struct.unpack('>I8c8I2', record, 51)
  if labels == 0 and when <= now then record = false end
end

if not record then
  if ARGV[4] == '0' then return 0 end
  local bare = 'B' .. ARGV[2] .. ARGV[3] .. string.rep('\0', 24) .. '\1'
    .. struct.pack('>I8I8I8I2I4', now, now + SEEN_FOR * 1000, 0, 0, 0)
  redis.call('SET', KEYS[1], bare, 'PX', SEEN_FOR * 1000)
  return 1
end

if ARGV[4] == '1' then return note(KEYS[1], record, ARGV[2], ARGV[3]) end
local tries, turns = tries_of(record, ARGV[2])
local at = tries > 0 and place_of(turns, ARGV[3])
if at then
  tries = tries - 1
  turns = string.sub(turns, 1, at - 1) .. string.sub(turns, at + 8) .. string.rep('\0', 8)
  redis.call('SETRANGE', KEYS[1], 9, turns .. string.char(tries))
end
return tries
