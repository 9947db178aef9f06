-- Keeps a dead letter; the oldest makes room and is counted.
local function keep_letter(dead, dropped, letter)
  local over = redis.call('LPUSH', dead, letter) - DEAD_MAX
  if over > 0 then
    redis.call('LTRIM', dead, 0, DEAD_MAX - 1)
    redis.call('INCRBY', dropped, over)
  end
end
