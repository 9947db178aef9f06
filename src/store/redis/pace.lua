-- Reserves the sending of a lane's head, once, and answers how long it has to wait in µs.
-- key: where the sendings to the chat end in µs by the limit of chats and by that of groups, when the heads of its
--      messages and of its broadcasts may go, their ids with a line feed between; gone when a whole burst is free
-- limits: packed time between sendings and lead of a burst, for chats and for groups, 0 for none; '' for no limits
-- place: 1 for messages, 2 for broadcasts
local function reserve(key, limits, place, item)
  if limits == '' then return 0 end
  if not time then read_clock() end
  local id = string.match(item, '^[^\n]*')
  local micros = time[1] * 1000000 + time[2] + ARGV[1] * 1000
  local ends, heads, ids = {0, 0}, {0, 0}, {'', ''}
  local kept = redis.call('GET', key)
  if kept then
    local chat, group, message, bulk = struct.unpack('>I8I8I8I8', kept)
    if math.max(chat, group) > micros then
      ends, heads, ids = {chat, group}, {message, bulk}, {string.match(kept, '^([^\n]*)\n(.*)$', 33)}
    end
  end
  if ids[place] == id then return math.max(0, heads[place] - micros) end

  local every, lead = {}, {}
  every[1], lead[1], every[2], lead[2] = struct.unpack('>I8I8I8I8', limits)
  local at = micros
  for limit = 1, 2 do
    if every[limit] > 0 then at = math.max(at, ends[limit] - lead[limit]) end
  end
  for limit = 1, 2 do
    if every[limit] > 0 then ends[limit] = math.max(ends[limit], at) + every[limit] end
  end
  heads[place], ids[place] = at, id
  local value = struct.pack('>I8I8I8I8', ends[1], ends[2], heads[1], heads[2]) .. ids[1] .. '\n' .. ids[2]
  redis.call('SET', key, value, 'PX', math.ceil((math.max(ends[1], ends[2]) - micros) / 1000))
  return at - micros
end
