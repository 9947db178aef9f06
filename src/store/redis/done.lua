-- Takes an item off the head of a lane and answers the next one; a dead letter or a note may go with it.
-- KEYS: lane, ready, owner, dead, dropped, pace, note if any
-- ARGV: time offset, lane, packed token, id with a line feed, limits, place, dead letter or id of the noted message
-- Answers {held, next item or nothing, how long it has to wait in µs}
local items = redis.call('LRANGE', KEYS[1], '0', '1')
local head = items[1]
if head and not is_held(redis.call('HGET', KEYS[3], ARGV[2]), ARGV[3]) then return {0, false, 0} end
local is_there = head and string.sub(head, 1, #ARGV[4]) == ARGV[4]

-- Whether the name is with a newer message: the item is gone, and was perhaps sent again by others.
local function is_overtaken()
  local kept = not is_there and redis.call('GET', KEYS[7])
  return kept and struct.unpack('>I8', kept) > now and tonumber(string.sub(kept, 9)) > tonumber(ARGV[7])
end

if KEYS[7] then
  read_clock()
  if not is_overtaken() then
    redis.call('SET', KEYS[7], struct.pack('>I8', now + NAMED_FOR) .. ARGV[7], 'PX', 'NAMED_FOR')
  end
end
if is_there then
  redis.call('LPOP', KEYS[1])
  if ARGV[7] and not KEYS[7] then keep_letter(KEYS[4], KEYS[5], ARGV[7]) end
  head = items[2]
end
local wait = reserve(KEYS[6], ARGV[5], tonumber(ARGV[6]), head, is_there and items[1])
if head then return {1, head, wait} end
redis.call('ZREM', KEYS[2], ARGV[2])
redis.call('HDEL', KEYS[3], ARGV[2])
return {1, false, 0}
