-- Takes everything out of lanes of one chat, whoever holds them.
-- KEYS: claims, lanes, then the list of each lane
-- ARGV: time offset, then the name of each lane
-- Answers how many items there were
local dropped = 0
for at = 3, #KEYS do
  local lane = ARGV[at - 1]
  dropped = dropped + redis.call('HDEL', KEYS[2], lane) + redis.call('LLEN', KEYS[at])
  redis.call('DEL', KEYS[at])
  redis.call('ZREM', KEYS[1], lane)
end
return dropped
