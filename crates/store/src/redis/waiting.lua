-- The first items of lanes of one chat.
-- KEYS: lanes, then the list of each lane
-- ARGV: time offset, how many items of each, then the name of each lane
-- Answers for each lane its items
local answer = {}
for at = 2, #KEYS do
  local lane = redis.call('HGET', KEYS[1], ARGV[at + 1])
  local items = ARGV[2] ~= '1' and redis.call('LRANGE', KEYS[at], 0, ARGV[2] - 2) or {}
  if lane then table.insert(items, 1, head_of(lane)) end
  answer[at - 1] = items
end
return answer
