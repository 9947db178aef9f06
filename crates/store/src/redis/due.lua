-- Timers that are due, and lanes nobody works: those are leased.
-- KEYS: timers, claims, lanes, sequence, what the clock has shown
-- ARGV: time offset, packed token, limit, timers up to this are left alone or '', until when the caller waits for the answer
-- Answers {now, {dialogue, due, …}, {lane, …}, sequence, {those of the lanes that somebody held, …}}
local place = string.sub(KEYS[1], 1, -#'timers' - 1) .. 'd:'

-- Nearly every step puts the timer of its dialogue off or ends it, and nearly none comes to be due. So a step leaves it where it is,
-- which is too early, and who comes to it moves it to where the record says, or takes it away. Where a record cannot be read it stays,
-- and so does what another build may know by its name.
local function due_of(dialogue)
  local record, version, due, labels = record_of(place .. dialogue)
  if record and not version or not record and not string.find(dialogue, '^[%d:-]+$') then return false end
  return record and labels > 0 and due or 0
end

-- Puts those of a batch right that stand where they should not, and answers the others.
local function settled(from, to, offset)
  local found = redis.call('ZRANGEBYSCORE', KEYS[1], from, to, 'WITHSCORES', 'LIMIT', offset, ARGV[3])
  local right = {}
  for at = 1, #found, 2 do
    local due = due_of(found[at])
    if due == 0 then
      redis.call('ZREM', KEYS[1], found[at])
    elseif due and due > tonumber(found[at + 1]) then
      redis.call('ZADD', KEYS[1], string.format('%d', due), found[at])
    else
      right[#right + 1], right[#right + 2] = found[at], found[at + 1]
    end
  end
  return right, #found
end

-- Among those that are left alone some may only stand there.
local offset = 0
for _ = 1, ARGV[4] == '' and 0 or 8 do
  local right, looked_at = settled('-inf', ARGV[4], offset)
  offset = offset + #right / 2
  if looked_at == 0 then break end
end
-- Until the first of all stand right, or for so long: then those that do come before those that are still to be put right.
local timers, looked_at
for _ = 1, 32 do
  timers, looked_at = settled(ARGV[4] == '' and '-inf' or '(' .. ARGV[4], now, 0)
  if #timers == looked_at then break end
end

-- The clock was set back, and with it what lanes wait for.
local shown = tonumber(redis.call('GET', KEYS[5]) or 0)
if shown > now then
  local claims = redis.call('ZRANGE', KEYS[2], 0, -1, 'WITHSCORES')
  for at = 1, #claims, 2 do redis.call('ZADD', KEYS[2], claims[at + 1] - (shown - now), claims[at]) end
end
if shown > now or shown + CLOCK_NOTED <= now then redis.call('SET', KEYS[5], string.format('%d', now)) end
-- Redis may have stood still, and come to this when nobody waits for the answer any more. Lanes leased to nobody are lost to those
-- who hold them and have something to note.
local found = {}
if now - ARGV[1] <= tonumber(ARGV[5]) then
  found = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, ARGV[3])
end
local lanes, lapsed = {}, {}
for _, name in ipairs(found) do
  local lane = redis.call('HGET', KEYS[3], name)
  if lane then
    lanes[#lanes + 1] = name
    if not is_held(lane, NOBODY) then lapsed[#lapsed + 1] = name end
    redis.call('ZADD', KEYS[2], now + LANE_LEASE, name)
    redis.call('HSET', KEYS[3], name, with_holder(lane, ARGV[2]))
  else
    redis.call('ZREM', KEYS[2], name)
  end
end
return {now, timers, lanes, tonumber(redis.call('GET', KEYS[4]) or 0), lapsed}
