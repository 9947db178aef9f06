-- Reserves the sending of a lane's head, once, and answers how long it has to wait in µs. A head may count as several: then it
-- waits until as many of them are free as can be.
-- limits: as in pacing.lua, or '' where nothing is sent
-- place: 1 for messages, 2 for broadcasts
local function reserve(key, limits, place, item)
  if limits == '' then return 0 end
  local every, lead = unpacked(limits)
  -- Without a limit there is nothing to obey but what the chat was told.
  if every[1] + every[2] == 0 and redis.call('EXISTS', key) == 0 then return 0 end
  if not time then read_clock() end
  local id = string.match(item, '^[^\n]*')
  local micros = time[1] * 1000000 + time[2] + ARGV[1] * 1000
  local ends, heads, ids = pacing_of(key, micros)
  if ids[place] == id then return math.max(0, heads[place] - micros) end

  local at, count = micros, tonumber(string.match(id, '~(%d+)$') or 1)
  for limit = 1, 2 do
    local more = math.min((count - 1) * every[limit], lead[limit])
    at = math.max(at, ends[limit] - lead[limit] + more)
  end
  for limit = 1, 2 do
    if every[limit] > 0 then ends[limit] = math.max(ends[limit], at) + count * every[limit] end
  end
  heads[place], ids[place] = at, id
  keep_pacing(key, micros, ends, heads, ids)
  return at - micros
end
