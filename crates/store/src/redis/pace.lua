-- here: pacing.lua

-- What an item is known by, and how many sendings it counts as.
local function id_of(item)
  local id = string.sub(item, 1, string.find(item, '\n', 1, true) - 1)
  return id, string.find(id, '~', 1, true) and tonumber(string.match(id, '~(%d+)$')) or 1
end

-- Where the sendings of a limit end when one that is over counts from now on: it may have waited since its time came.
local function with_sent(ends, taken, is_reserved, micros)
  if taken == 0 then return ends end
  return math.max(ends, (is_reserved and micros or math.max(ends, micros)) + taken)
end

-- When a limit lets a head go. One that counts as several waits until as many of them are free as can be.
local function free_at(ends, every, lead, count)
  return ends - lead + math.min((count - 1) * every, lead)
end

-- Counts what was just sent from a lane, if anything, then reserves the sending of its head, if it has one, once, and answers how long
-- that has to wait in µs.
-- place: as which the keys of the partition begin
-- limits: packed time between sendings and lead of a burst, for chats and for groups, 0 for none
-- lane: 1 for messages, 2 for broadcasts
local function reserve(place, limits, chat, lane, head, sent)
  local key = place .. 'pace:' .. chat
  local every, lead, group_every, group_lead = struct.unpack('>I8I8I8I8', limits)
  local micros = time[1] * 1000000 + time[2] + ARGV[1] * 1000
  local ends, group_ends, at, other_at, id, other_id = pacing_of(key, micros)
  if lane == 2 then at, other_at, id, other_id = other_at, at, other_id, id end
  local is_changed = false

  if sent then
    local sent_id, count = id_of(sent)
    local with = with_sent(ends, count * every, sent_id == id, micros)
    local group_with = with_sent(group_ends, count * group_every, sent_id == id, micros)
    -- The head of the other lane may have waited as well: its time is forgotten, so that it is counted anew.
    if with > ends or group_with > group_ends then
      ends, group_ends, other_id, is_changed = with, group_with, '', true
    end
  end
  local head_id, count = id, 1
  if head then head_id, count = id_of(head) end
  if head_id ~= id then
    at = math.max(micros, free_at(ends, every, lead, count), free_at(group_ends, group_every, group_lead, count))
    if every > 0 then ends = math.max(ends, at) + count * every end
    if group_every > 0 then group_ends = math.max(group_ends, at) + count * group_every end
    id, is_changed = head_id, true
  end

  local wait = head and math.max(0, at - micros) or 0
  if is_changed then
    if lane == 2 then at, other_at, id, other_id = other_at, at, other_id, id end
    keep_pacing(key, micros, ends, group_ends, at, other_at, id, other_id)
  end
  return wait
end
