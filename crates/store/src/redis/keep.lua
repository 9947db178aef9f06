-- Keeps a small value, if what is kept is as expected.
-- KEYS: value
-- ARGV: time offset, the value, what is expected unless nothing is
-- Answers whether it is kept
local found = redis.call('GET', KEYS[1])
if found == ARGV[2] then return 1 end
if found ~= (ARGV[3] or false) then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1
