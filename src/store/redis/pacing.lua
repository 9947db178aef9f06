-- What is kept of the pace of a chat: where its sendings end in µs by the limit of chats and by that of groups, when the heads of
-- its messages and of its broadcasts may go, their ids and when it was written with a line feed between. Where a limit is none, its
-- sendings end with what the chat was told to wait. It is gone when a whole burst is free.
local function keep_pacing(key, micros, ends, heads, ids)
  local value = struct.pack('>I8I8I8I8', ends[1], ends[2], heads[1], heads[2]) .. ids[1] .. '\n' .. ids[2]
  local left = math.max(1, math.ceil((math.max(ends[1], ends[2]) - micros) / 1000))
  redis.call('SET', key, value .. '\n' .. string.format('%d', micros), 'PX', left)
end
local function pacing_of(key, micros)
  local kept = redis.call('GET', key)
  if not kept then return {0, 0}, {0, 0}, {'', ''} end
  local chat, group, message, bulk = struct.unpack('>I8I8I8I8', kept)
  local ends, heads = {chat, group}, {message, bulk}
  -- An older build does not say when it wrote.
  local first, second, written = string.match(kept, '^([^\n]*)\n([^\n]*)\n?(%d*)$', 33)
  local ids, back = {first, second}, (tonumber(written) or 0) - micros
  if back > 0 then
    -- The clock was set back, and all this with it.
    for both = 1, 2 do ends[both], heads[both] = math.max(0, ends[both] - back), math.max(0, heads[both] - back) end
    keep_pacing(key, micros, ends, heads, ids)
  end
  if math.max(ends[1], ends[2]) > micros then return ends, heads, ids end
  return {0, 0}, {0, 0}, {'', ''}
end
-- limits: packed time between sendings and lead of a burst, for chats and for groups, 0 for none
local function unpacked(limits)
  local every, lead = {}, {}
  every[1], lead[1], every[2], lead[2] = struct.unpack('>I8I8I8I8', limits)
  return every, lead
end
