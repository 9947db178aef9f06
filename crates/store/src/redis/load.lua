-- Reads a dialogue for a turn and notes the try.
-- KEYS: record, lanes
-- ARGV: time offset, packed update id or '', packed cause, packed turn, lane of the jobs
-- Answers, packed, 0, or 1 for a duplicate, or 2 for a record that cannot be read; now, pending, tries; then the record without its
-- marks, if there is one
local record, version, when, labels, body = record_of(KEYS[1])
local pending = redis.call('HEXISTS', KEYS[2], ARGV[5])
if pending == 1 then pending = 1 + redis.call('LLEN', string.sub(KEYS[2], 1, -#'lanes' - 1) .. 'behind:' .. ARGV[5]) end
if not record or version and labels == 0 and when <= now then return struct.pack('>BI8I4I4', 0, now, pending, 0) end
if not version then return struct.pack('>BI8I4I4', 2, now, pending, 0) .. record end

local marks = 73 + labels + body
if ARGV[2] ~= '' then
  local mark = string.find(record, ARGV[2], marks, true)
  while mark do
    if (mark - marks) % 8 ~= 0 then
      mark = string.find(record, ARGV[2], mark + 1, true)
    elseif math.floor(now / 1000) - struct.unpack('>I4', record, mark + 4) < SEEN_FOR then
      return struct.pack('>BI8I4I4', 1, now, pending, 0)
    else
      mark = string.find(record, ARGV[2], mark + 8, true)
    end
  end
end

-- As good as always there is no other try on record.
local tries = 1
if string.byte(record, 8) == 0 then
  redis.call('SETRANGE', KEYS[1], '1', ARGV[3] .. '\1' .. NO_CAUSES .. ARGV[4])
else
  -- here: tries.lua
  tries = note_tries(KEYS[1], record, ARGV[3], ARGV[4])
end
return struct.pack('>BI8I4I4', 0, now, pending, tries) .. string.sub(record, 1, marks - 1)
