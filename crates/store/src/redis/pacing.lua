-- What is kept of the pace of a chat: where its sendings end in µs by the limit of chats and by that of groups, when the heads of
-- its messages and of its broadcasts may go, their ids and when it was written with a line feed between. Where a limit is none, its
-- sendings end with what the chat was told to wait. It is gone when a whole burst is free.
local function keep_pacing(key, micros, ends, group_ends, message_at, bulk_at, message_id, bulk_id)
  local value = struct.pack('>I8I8I8I8', ends, group_ends, message_at, bulk_at) .. message_id .. '\n' .. bulk_id
  local left = math.max(1, math.ceil((math.max(ends, group_ends) - micros) / 1000))
  redis.call('SET', key, value .. '\n' .. string.format('%d', micros), 'PX', string.format('%d', left))
end
local function pacing_of(key, micros)
  local kept = redis.call('GET', key)
  if not kept then return 0, 0, 0, 0, '', '' end
  local ends, group_ends, message_at, bulk_at = struct.unpack('>I8I8I8I8', kept)
  local first = string.find(kept, '\n', 33, true)
  local second = string.find(kept, '\n', first + 1, true)
  -- As a build long ago wrote it, which is as good as over.
  if not second then return 0, 0, 0, 0, '', '' end
  local message_id, bulk_id = string.sub(kept, 33, first - 1), string.sub(kept, first + 1, second - 1)
  local back = tonumber(string.sub(kept, second + 1)) - micros
  if back > 0 then
    -- The clock was set back, and all this with it.
    ends, group_ends = math.max(0, ends - back), math.max(0, group_ends - back)
    message_at, bulk_at = math.max(0, message_at - back), math.max(0, bulk_at - back)
    keep_pacing(key, micros, ends, group_ends, message_at, bulk_at, message_id, bulk_id)
  end
  if ends <= micros and group_ends <= micros then return 0, 0, 0, 0, '', '' end
  return ends, group_ends, message_at, bulk_at, message_id, bulk_id
end
