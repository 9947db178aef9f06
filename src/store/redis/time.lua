-- The time of the store in ms. ARGV[1] moves it, in tests. Every script knows it from the start, unless it reads the clock itself.
local time, now
local function read_clock()
  time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[1]
  return now
end
