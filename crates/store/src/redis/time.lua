-- The time of the store in ms. ARGV[1] moves it, in tests.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[1]
