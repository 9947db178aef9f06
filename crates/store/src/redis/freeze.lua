-- Stops all sendings of the bot for a while; never shortens that.
-- KEYS: pace of the bot
-- ARGV: time offset, how long in µs
local ends, frozen, replies = bot_of(KEYS[1])
keep_bot(KEYS[1], ends, math.max(frozen, micros + ARGV[2]), replies)
return 1
