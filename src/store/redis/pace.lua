-- What an item is known by, and how many sendings it counts as.
local function id_of(item)
  local id = string.match(item, '^[^\n]*')
  return id, tonumber(string.match(id, '~(%d+)$') or 1)
end

-- Counts a sending that is over from now on, and answers whether that changes anything: it may have waited since its time came, as may
-- the head of the other lane, whose time is forgotten then, so that it is counted anew.
local function count_sent(item, place, every, micros, ends, ids)
  local id, count = id_of(item)
  local is_reserved, is_changed = ids[place] == id, false
  for limit = 1, 2 do
    local taken = count * every[limit]
    local counted = is_reserved and micros + taken or math.max(ends[limit], micros) + taken
    if taken > 0 and counted > ends[limit] then ends[limit], is_changed = counted, true end
  end
  if is_changed then ids[3 - place] = '' end
  return is_changed
end

-- Reserves the time of a head, and answers whether it had none. A head may count as several: then it waits until as many of them are
-- free as can be.
local function take_time(item, place, every, lead, micros, ends, heads, ids)
  local id, count = id_of(item)
  if ids[place] == id then return false end
  local at = micros
  for limit = 1, 2 do
    local more = math.min((count - 1) * every[limit], lead[limit])
    at = math.max(at, ends[limit] - lead[limit] + more)
  end
  for limit = 1, 2 do
    if every[limit] > 0 then ends[limit] = math.max(ends[limit], at) + count * every[limit] end
  end
  heads[place], ids[place] = at, id
  return true
end

-- Counts what was just sent from a lane, if anything, then reserves the sending of its head, if it has one, once, and answers how long
-- that has to wait in µs.
-- limits: as in pacing.lua, or '' where nothing is sent
-- place: 1 for messages, 2 for broadcasts
local function reserve(key, limits, place, head, sent)
  if limits == '' or not (head or sent) then return 0 end
  local every, lead = unpacked(limits)
  -- Without a limit there is nothing to obey but what the chat was told.
  if every[1] + every[2] == 0 and not (head and redis.call('EXISTS', key) == 1) then return 0 end
  if not time then read_clock() end
  local micros = time[1] * 1000000 + time[2] + ARGV[1] * 1000
  local ends, heads, ids = pacing_of(key, micros)
  local is_counted = sent and count_sent(sent, place, every, micros, ends, ids)
  local is_taken = head and take_time(head, place, every, lead, micros, ends, heads, ids)
  if is_counted or is_taken then keep_pacing(key, micros, ends, heads, ids) end
  return head and math.max(0, heads[place] - micros) or 0
end
