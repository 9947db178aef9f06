-- Whether a lane obeys a pace: its limits are '' where nothing is sent, and where there are none a head still obeys what its chat was
-- told.
local function is_paced(place, limits, chat, head)
  return limits ~= '' and (limits ~= NO_LIMITS or head and redis.call('EXISTS', place .. 'pace:' .. chat) == 1)
end
