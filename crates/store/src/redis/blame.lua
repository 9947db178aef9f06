-- Notes a failed try, in a bare record if there is none, or takes it back.
-- KEYS: record
-- ARGV: time offset, packed cause, packed turn, '1' to note or '0' to take back
-- Answers how many tries are on record
local record, version, when, labels = record_of(KEYS[1])
if record and not version then return 0 end
if record and labels == 0 and when <= now then record = false end

if not record then
  if ARGV[4] == '0' then return 0 end
  local bare = 'B' .. ARGV[2] .. '\1' .. string.rep('\0', 14) .. ARGV[3] .. string.rep('\0', 16)
    .. struct.pack('>I8I8I8I2I4', now, now + SEEN_FOR * 1000, 0, 0, 0)
  redis.call('SET', KEYS[1], bare, 'PX', SEEN_FOR * 1000)
  return 1
end

if ARGV[4] == '1' then return note_tries(KEYS[1], record, ARGV[2], ARGV[3]) end
local tries = tries_of(record)
local at, count = count_tries(tries, ARGV[2])
local place = place_of(tries, ARGV[3])
if not (at and place) then return count end
tries = without(tries, place, place + 3, 41)
if count == 1 then
  tries = without_cause(tries, at)
else
  tries = string.sub(tries, 1, at + 5) .. string.char(count - 1) .. string.sub(tries, at + 7)
end
redis.call('SETRANGE', KEYS[1], 1, tries)
return count - 1
