-- here: pacing.lua

-- What an item is known by, and how many sendings it counts as.
local function id_of(item)
  local id = string.match(item, '^[^\n]*')
  return id, tonumber(string.match(id, '~(%d+)$') or 1)
end

-- Counts a sending that is over from now on, and answers whether that changes anything: it may have waited since its time came, as may
-- the head of the other lane, whose time is forgotten then, so that it is counted anew.
local function count_sent(item, lane, every, micros, ends, ids)
  local id, count = id_of(item)
  local is_reserved, is_changed = ids[lane] == id, false
  for limit = 1, 2 do
    local taken = count * every[limit]
    local counted = is_reserved and micros + taken or math.max(ends[limit], micros) + taken
    if taken > 0 and counted > ends[limit] then ends[limit], is_changed = counted, true end
  end
  if is_changed then ids[3 - lane] = '' end
  return is_changed
end

-- Reserves the time of a head, and answers whether it had none. A head may count as several: then it waits until as many of them are
-- free as can be.
local function take_time(item, lane, every, lead, micros, ends, heads, ids)
  local id, count = id_of(item)
  if ids[lane] == id then return false end
  local at = micros
  for limit = 1, 2 do
    local more = math.min((count - 1) * every[limit], lead[limit])
    at = math.max(at, ends[limit] - lead[limit] + more)
  end
  for limit = 1, 2 do
    if every[limit] > 0 then ends[limit] = math.max(ends[limit], at) + count * every[limit] end
  end
  heads[lane], ids[lane] = at, id
  return true
end

-- Counts what was just sent from a lane, if anything, then reserves the sending of its head, if it has one, once, and answers how long
-- that has to wait in µs.
-- place: as which the keys of the partition begin
-- limits: as in pacing.lua
-- lane: 1 for messages, 2 for broadcasts
local function reserve(place, limits, chat, lane, head, sent)
  local key = place .. 'pace:' .. chat
  local every, lead = unpacked(limits)
  local micros = time[1] * 1000000 + time[2] + ARGV[1] * 1000
  local ends, heads, ids = pacing_of(key, micros)
  local is_counted = sent and count_sent(sent, lane, every, micros, ends, ids)
  local is_taken = head and take_time(head, lane, every, lead, micros, ends, heads, ids)
  if is_counted or is_taken then keep_pacing(key, micros, ends, heads, ids) end
  return head and math.max(0, heads[lane] - micros) or 0
end
