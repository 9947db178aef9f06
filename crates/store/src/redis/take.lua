-- Takes items off the head of a lane, and answers the next one. A lane without one is given up.
local function take(place, name, held, count)
  local behind = place .. 'behind:' .. name
  if count > 1 then redis.call('LPOP', behind, count - 1) end
  local next = string.byte(held, 17) == MORE and redis.call('LPOP', behind)
  if next then
    -- here: lane.lua
    local mark = redis.call('EXISTS', behind) == 1 and '+' or '-'
    redis.call('HSET', place .. 'lanes', name, with_head(held, mark, next))
    return next
  end
  redis.call('ZREM', place .. 'claims', name)
  redis.call('HDEL', place .. 'lanes', name)
end
