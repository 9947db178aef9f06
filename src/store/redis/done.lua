-- Takes an item off the head of a lane and answers the next one; a dead letter or a note may go with it.
-- KEYS: lane, as which the other keys of its partition begin; note if any
-- ARGV: time offset, lane, packed token, id with a line feed, limits, chat, 1 for messages or 2 for
--       broadcasts, dead letter or id of the noted message
-- Answers nothing if the lane is not held, '' if it is empty now, else how long its head has to wait in µs, packed, and the head
local items = redis.call('LRANGE', KEYS[1], '0', '1')
local head = items[1]
local place = string.sub(KEYS[1], 1, -#ARGV[2] - 1)
local owner = place .. 'holders'
if head and not is_held(redis.call('HGET', owner, ARGV[2]), ARGV[3]) then return false end
local is_there = head and string.sub(head, 1, #ARGV[4]) == ARGV[4]

if KEYS[2] then
  -- here: time.lua
  -- Whether the name is with a newer message: the item is gone, and was perhaps sent again by others.
  local kept = not is_there and redis.call('GET', KEYS[2])
  local is_overtaken = kept and struct.unpack('>I8', kept) > now and tonumber(string.sub(kept, 9)) > tonumber(ARGV[8])
  if not is_overtaken then
    redis.call('SET', KEYS[2], struct.pack('>I8', now + NAMED_FOR) .. ARGV[8], 'PX', 'NAMED_FOR')
  end
end
if is_there then
  redis.call('LPOP', KEYS[1])
  if ARGV[8] and not KEYS[2] then
    -- here: letter.lua
    keep_letter(place .. 'dead', place .. 'dropped', ARGV[8])
  end
  head = items[2]
end
local wait = 0
if (head or is_there) and is_paced(place, ARGV[5], ARGV[6], head) then
  -- here: time.lua
  -- here: pace.lua
  wait = reserve(place, ARGV[5], ARGV[6], tonumber(ARGV[7]), head, is_there and items[1])
end
if head then return struct.pack('>I8', wait) .. head end
redis.call('ZREM', place .. 'ready', ARGV[2])
redis.call('HDEL', owner, ARGV[2])
return ''
