-- What is kept of the pace of a chat: where its sendings end in µs by the limit of chats and by that of groups, when the heads of
-- its messages and of its broadcasts may go, their ids with a line feed between. It is gone when a whole burst is free.
local function pacing_of(key, micros)
  local kept = redis.call('GET', key)
  if kept then
    local chat, group, message, bulk = struct.unpack('>I8I8I8I8', kept)
    if math.max(chat, group) > micros then
      return {chat, group}, {message, bulk}, {string.match(kept, '^([^\n]*)\n(.*)$', 33)}
    end
  end
  return {0, 0}, {0, 0}, {'', ''}
end
local function keep_pacing(key, micros, ends, heads, ids)
  local value = struct.pack('>I8I8I8I8', ends[1], ends[2], heads[1], heads[2]) .. ids[1] .. '\n' .. ids[2]
  redis.call('SET', key, value, 'PX', math.max(1, math.ceil((math.max(ends[1], ends[2]) - micros) / 1000)))
end
-- limits: packed time between sendings and lead of a burst, for chats and for groups, 0 for none
local function unpacked(limits)
  local every, lead = {}, {}
  every[1], lead[1], every[2], lead[2] = struct.unpack('>I8I8I8I8', limits)
  return every, lead
end
