-- Reads a dialogue for a turn and notes the try.
-- KEYS: record, jobs
-- ARGV: time offset, packed update id or '', packed cause, packed turn
-- Answers {0, or 1 for a duplicate, or 2 for a record that cannot be read, now, pending, tries, record without its marks}
local record, version, when, _, labels, body = record_of(KEYS[1])
local pending = redis.call('LLEN', KEYS[2])
if not record then return {0, now, pending, 0, false} end
if not version then return {2, now, pending, 0, record} end
if labels == 0 and when <= now then return {0, now, pending, 0, false} end

local marks = 73 + labels + body
if ARGV[2] ~= '' then
  local mark = string.find(record, ARGV[2], marks, true)
  while mark do
    if (mark - marks) % 8 ~= 0 then
      mark = string.find(record, ARGV[2], mark + 1, true)
    elseif math.floor(now / 1000) - struct.unpack('>I4', record, mark + 4) < SEEN_FOR then
      return {1, now, pending, 0, false}
    else
      mark = string.find(record, ARGV[2], mark + 8, true)
    end
  end
end

local tries = note_tries(KEYS[1], record, ARGV[3], ARGV[4])
return {0, now, pending, tries, string.sub(record, 1, marks - 1)}
