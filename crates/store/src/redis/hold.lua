-- Puts off what is to be sent to a chat; never shortens that.
-- KEYS: pace of the chat
-- ARGV: time offset, limits as in pace.lua, how long in µs
local micros = time[1] * 1000000 + time[2] + ARGV[1] * 1000
local ends, group_ends, message_at, bulk_at, message_id, bulk_id = pacing_of(KEYS[1], micros)
local _, lead, _, group_lead = struct.unpack('>I8I8I8I8', ARGV[2])
local till = micros + ARGV[3]
message_at, bulk_at = math.max(message_at, till), math.max(bulk_at, till)
ends, group_ends = math.max(ends, till + lead), math.max(group_ends, till + group_lead)
keep_pacing(KEYS[1], micros, ends, group_ends, message_at, bulk_at, message_id, bulk_id)
return 1
