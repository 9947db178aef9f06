-- Prolongs the leases of lanes of one partition.
-- KEYS: ready, owner
-- ARGV: time offset, then lane and packed token, over and over
-- Answers the lanes that are no longer held
local lost = {}
for at = 2, #ARGV, 2 do
  if redis.call('HGET', KEYS[2], ARGV[at]) == ARGV[at + 1] then
    redis.call('ZADD', KEYS[1], now + LANE_LEASE, ARGV[at])
  else
    lost[#lost + 1] = ARGV[at]
  end
end
return lost
