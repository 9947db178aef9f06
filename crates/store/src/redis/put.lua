-- Puts items, which are arguments, into a lane, and answers whether it was empty and belongs to the token now.
local function put(place, name, token, first, last)
  local lanes = place .. 'lanes'
  local lane = struct.pack('>I8', now) .. token .. (last > first and '+' or '-') .. ARGV[first]
  local is_new = redis.call('HSETNX', lanes, name, lane) == 1
  if is_new then
    redis.call('ZADD', place .. 'claims', string.format('%d', now + LANE_LEASE), name)
    first = first + 1
  else
    -- here: lane.lua
    lane = redis.call('HGET', lanes, name)
    if not has_more(lane) then redis.call('HSET', lanes, name, with_head(lane, '+', head_of(lane))) end
  end
  if first <= last then redis.call('RPUSH', place .. 'behind:' .. name, unpack(ARGV, first, last)) end
  return is_new
end
