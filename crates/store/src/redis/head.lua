-- The head of a lane that was just leased.
-- KEYS: lanes, as which the other keys of its partition begin
-- ARGV: time offset, lane, packed token, limits, chat, 1 for messages or 2 for broadcasts
-- Answers {item, how long it has to wait in µs}, or nothing
local place = string.sub(KEYS[1], 1, -#'lanes' - 1)
local lane = redis.call('HGET', KEYS[1], ARGV[2])
if not is_held(lane, ARGV[3]) then return false end
local head = head_of(lane)
local is_paced = is_paced(place, ARGV[4], ARGV[5], head)
return {head, is_paced and reserve(place, ARGV[4], ARGV[5], tonumber(ARGV[6]), head) or 0}
