-- Takes or prolongs a lease.
-- KEYS: lease
-- ARGV: time offset, packed holder, time to live in ms
-- Answers the fence, or nothing when someone else has it
local lease = redis.call('HMGET', KEYS[1], 'holder', 'until', 'fence')
local holder, ends, fence = lease[1], tonumber(lease[2] or 0), tonumber(lease[3] or 0)
if holder ~= ARGV[2] then
  if holder and ends > now then
    -- It was never given for longer, unless the clock was set back.
    if ends > now + ARGV[3] then redis.call('HSET', KEYS[1], 'until', now + ARGV[3]) end
    return false
  end
  fence = fence + 1
end
redis.call('HSET', KEYS[1], 'holder', ARGV[2], 'until', now + ARGV[3], 'fence', fence)
return fence
