-- Prolongs the leases of lanes of one partition.
-- KEYS: claims, lanes
-- ARGV: time offset, then lane and packed token, over and over
-- Answers for each whether it is held
local held = {}
for at = 2, #ARGV, 2 do
  local lane = redis.call('HGET', KEYS[2], ARGV[at])
  local is_ours = is_held(lane, ARGV[at + 1])
  if is_ours then redis.call('ZADD', KEYS[1], now + LANE_LEASE, ARGV[at]) end
  held[#held + 1] = is_ours and 1 or 0
end
return held
