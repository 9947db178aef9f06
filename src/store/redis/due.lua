-- Timers that are due, and lanes nobody works: those are leased.
-- KEYS: timers, ready, owner, sequence, what the clock has shown
-- ARGV: time offset, packed token, limit, timers up to this are left alone or '', until when the caller waits for the answer
-- Answers {now, {dialogue, due, …}, {lane, …}, sequence, {those of the lanes that somebody held, …}}
local place = string.sub(KEYS[1], 1, -#'timers' - 1) .. 'd:'

-- Nearly every step puts the timer of its dialogue off, and nearly none comes to be due. So a step leaves it where it is, which is
-- too early, and who comes to it moves it to where the record says.
local function due_of(dialogue)
  local _, version, due, labels = record_of(place .. dialogue)
  return version and labels > 0 and due > 0 and due
end

-- Moves those of a batch that stand too early, and answers how many these were.
local function settle(found)
  local moved = 0
  for at = 1, #found, 2 do
    local due = due_of(found[at])
    if due and due > tonumber(found[at + 1]) then
      redis.call('ZADD', KEYS[1], string.format('%d', due), found[at])
      moved = moved + 1
    end
  end
  return moved
end
local function batch(from, to, offset)
  return redis.call('ZRANGEBYSCORE', KEYS[1], from, to, 'WITHSCORES', 'LIMIT', offset, ARGV[3])
end

-- Among those that are left alone some may only stand there.
local offset = 0
for _ = 1, ARGV[4] == '' and 0 or 8 do
  local found = batch('-inf', ARGV[4], offset)
  offset = offset + #found / 2 - settle(found)
  if #found == 0 then break end
end
local timers
for _ = 1, 32 do
  timers = batch(ARGV[4] == '' and '-inf' or '(' .. ARGV[4], now, 0)
  if settle(timers) == 0 then break end
  timers = {}
end

-- The clock was set back, and with it what lanes wait for.
local shown = tonumber(redis.call('GET', KEYS[5]) or 0)
if shown > now then
  local ready = redis.call('ZRANGE', KEYS[2], 0, -1, 'WITHSCORES')
  for at = 1, #ready, 2 do redis.call('ZADD', KEYS[2], ready[at + 1] - (shown - now), ready[at]) end
end
if shown > now or shown + CLOCK_NOTED <= now then redis.call('SET', KEYS[5], string.format('%d', now)) end
-- Redis may have stood still, and come to this when nobody waits for the answer any more. Lanes leased to nobody are lost to those
-- who hold them and have something to note.
local lanes = {}
if now - ARGV[1] <= tonumber(ARGV[5]) then
  lanes = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, ARGV[3])
end
local lapsed = {}
for _, lane in ipairs(lanes) do
  local owner = redis.call('HGET', KEYS[3], lane)
  if owner and #owner > 8 then lapsed[#lapsed + 1] = lane end
  redis.call('ZADD', KEYS[2], now + LANE_LEASE, lane)
  redis.call('HSET', KEYS[3], lane, since(owner) .. ARGV[2])
end
return {now, timers, lanes, tonumber(redis.call('GET', KEYS[4]) or 0), lapsed}
