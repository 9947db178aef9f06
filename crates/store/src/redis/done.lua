-- Takes an item off the head of a lane and answers the next one; a dead letter or a note may go with it.
-- KEYS: lanes, as which the other keys of its partition begin; note if any
-- ARGV: time offset, lane, packed token, id with a line feed, limits, chat, 1 for messages or 2 for
--       broadcasts, dead letter or id of the noted message
-- Answers nothing if the lane is not held, '' if it is empty now, else how long its head has to wait in µs, packed, and the head
local place = string.sub(KEYS[1], 1, -#'lanes' - 1)
-- As lane.lua says.
local held = redis.call('HGET', KEYS[1], ARGV[2])
if held and string.find(held, ARGV[3], 9, true) ~= 9 then return false end
local is_there = held and string.find(held, ARGV[4], 18, true) == 18

if KEYS[2] then
  -- here: time.lua
  -- Whether the name is with a newer message: the item is gone, and was perhaps sent again by others.
  local kept = not is_there and redis.call('GET', KEYS[2])
  local is_overtaken = kept and struct.unpack('>I8', kept) > now and tonumber(string.sub(kept, 9)) > tonumber(ARGV[8])
  if not is_overtaken then
    redis.call('SET', KEYS[2], struct.pack('>I8', now + NAMED_FOR) .. ARGV[8], 'PX', 'NAMED_FOR')
  end
end
if not held then return '' end

local head
if is_there then
  head = take(place, ARGV[2], held, 1)
  if ARGV[8] and not KEYS[2] then
    -- here: letter.lua
    keep_letter(place .. 'dead', place .. 'dropped', ARGV[8])
  end
else
  head = string.sub(held, 18)
end
local wait = 0
if is_paced(place, ARGV[5], ARGV[6], head) then
  -- here: time.lua
  -- here: pace.lua
  wait = reserve(place, ARGV[5], ARGV[6], tonumber(ARGV[7]), head, is_there and ARGV[4])
end
return head and struct.pack('>I8', wait) .. head or ''
