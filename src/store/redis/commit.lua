-- Puts a step into effect. There is no rollback in Lua: all checks come before the first write. Numbers go to Redis as text
-- where they are known as such: Redis writes those of Lua with 17 digits, which takes longer than many a command.
-- KEYS: record, timers, active, messages, jobs, ready, owner, dead, sequence, pace, blocked, dropped
-- ARGV: time offset, packed update id or '', packed cause, packed expected version, ms of the load,
--       record from its time on and without marks, due ms or '', how long an idle record is kept in ms,
--       dialogue, message lane, job lane, dead letter or '', limits, chat, packed token of the jobs to settle or '',
--       how many to settle, how many messages, ids to settle with a line feed…, messages…, jobs…
-- Answers {0, version, messages leased, jobs leased, crowded out, sequence, nothing, how long the messages wait in µs,
--          messages dropped} or
--         {1 duplicate, 2 too old, 3 conflict, 4 stale or 5 conflict with a record that cannot be read, now, pending, tries,
--          0, 0, record without its marks, 0, 0}
local update, tail = ARGV[2], ARGV[6]
local second = math.floor(now / 1000)
local none = '\0\0\0\0\0\0\0\0'
local turn = string.sub(tail, 9, 16)
local messages_at = 18 + ARGV[16]
local jobs_at = messages_at + ARGV[17]

local old, version, when, last, label_bytes, body_bytes = record_of(KEYS[1])
local labels, marks = '', 73
local old_due = none
local seen, same, stands = false, false, none
-- Of a record that cannot be read nothing is taken over.
local broken = old and not version
if broken then
  marks, old_due, stands = #old + 1, false, UNREADABLE
elseif old then
  if label_bytes == 0 and when <= now then
    old = false
  else
    marks = 73 + label_bytes + body_bytes
    stands = string.sub(old, 43, 50)
    if label_bytes > 0 then
      labels = string.sub(old, 73, 72 + label_bytes)
      old_due = string.sub(old, 51, 58)
    end
    same = last == turn and string.sub(old, 1, 1) ~= 'B'
    if update ~= '' then
      local mark = string.find(old, update, marks, true)
      while mark and not seen do
        local aligned = (mark - marks) % 8 == 0
        seen = aligned and second - struct.unpack('>I4', old, mark + 4) < SEEN_FOR
        mark = string.find(old, update, mark + 1, true)
      end
    end
  end
end

-- Whether the jobs to settle are the first of their lane, and the lane is theirs who settle them.
local function can_settle()
  if not is_held(redis.call('HGET', KEYS[7], ARGV[11]), ARGV[15]) then return false end
  for at = 18, messages_at - 1 do
    local item = redis.call('LINDEX', KEYS[5], at - 18)
    if not item or string.sub(item, 1, #ARGV[at]) ~= ARGV[at] then return false end
  end
  return true
end

local verdict = 0
if seen then verdict = 1
elseif now - ARGV[5] > MAX_TURN_AGE then verdict = 2
elseif stands ~= ARGV[4] then verdict = 3
elseif ARGV[15] ~= '' and not can_settle() then verdict = 4
end

-- Off the straight way: perhaps this turn was here before.
if same or verdict > 0 or not old or broken then
  local owners = redis.call('HMGET', KEYS[7], ARGV[10], ARGV[11])
  local messages, jobs = is_held(owners[1], turn), is_held(owners[2], turn)
  if same or messages or jobs then
    local sequence = redis.call('GET', KEYS[9]) or 0
    local crowded_out = same and string.sub(old, 1, 1) == 'C' and 1 or 0
    local dropped = same and string.sub(old, 1, 1) == 'D' and tonumber(ARGV[17]) or 0
    local wait = messages and reserve(KEYS[10], ARGV[13], 1, redis.call('LINDEX', KEYS[4], 0)) or 0
    return {0, old and version or 0, messages and 1 or 0, jobs and 1 or 0, crowded_out, tonumber(sequence), false, wait, dropped}
  end
  if verdict == 3 then
    local _, count = false, 0
    if old and not broken then _, count = count_tries(tries_of(old), ARGV[3]) end
    return {broken and 5 or 3, now, redis.call('LLEN', KEYS[5]), count, 0, 0, old and string.sub(old, 1, marks - 1), 0, 0}
  elseif verdict > 0 then
    return {verdict, now, 0, 0, 0, 0, false, 0, 0}
  end
end

local crowded_out, kept = 0, ''
if old then
  local first, last = marks, #old
  while first < last and second - struct.unpack('>I4', old, first + 4) >= SEEN_FOR do
    first = first + 8
  end
  if update ~= '' then
    while last - first + 1 >= 8 * SEEN_MAX do
      if second - struct.unpack('>I4', old, first + 4) < SEEN_YOUNG then crowded_out = crowded_out + 1 end
      first = first + 8
    end
  end
  kept = string.sub(old, first)
end
if update ~= '' then kept = kept .. update .. struct.pack('>I4', second) end

-- From here on it is written. An update shows that messages reach the chat again; nothing else does.
local dropped = 0
if update ~= '' then
  redis.call('SREM', KEYS[11], ARGV[14])
elseif jobs_at > messages_at and redis.call('SISMEMBER', KEYS[11], ARGV[14]) == 1 then
  dropped = jobs_at - messages_at
end

local tries = old and not broken and other_tries(old, ARGV[3]) or string.rep('\0', 41)
version = old and not broken and version + 1 or now
label_bytes = struct.unpack('>I2', tail, 17)
local head = (crowded_out > 0 and 'C' or dropped > 0 and 'D' or 'R') .. tries .. struct.pack('>I8', version)
if label_bytes > 0 then
  redis.call('SET', KEYS[1], head .. tail .. kept)
else
  local gone = struct.pack('>I8', now + ARGV[8])
  redis.call('SET', KEYS[1], head .. gone .. string.sub(tail, 9) .. kept, 'PX', ARGV[8] == '0' and '1' or ARGV[8])
end

-- A timer that is put off is left where it stands; see due.lua.
local due = label_bytes > 0 and string.sub(tail, 1, 8) or none
local is_put_off = old and not broken and old_due ~= none and due ~= none and tonumber(ARGV[7]) > when
if not is_put_off and (due ~= old_due or not old) then
  if due ~= none then
    redis.call('ZADD', KEYS[2], ARGV[7], ARGV[9])
  elseif old or update == '' then
    redis.call('ZREM', KEYS[2], ARGV[9])
  end
end

local next_labels = string.sub(tail, 23, 22 + label_bytes)
if broken then
  -- Nobody knows what it was counted under: the partition is counted anew.
  redis.call('DEL', KEYS[3])
  local place = string.sub(KEYS[1], 1, #KEYS[1] - #ARGV[9])
  for _, dialogue in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
    local record, known, _, _, bytes = record_of(place .. dialogue)
    for label in string.gmatch(known and string.sub(record, 73, 72 + bytes) or '', '[^\n]+') do
      redis.call('HINCRBY', KEYS[3], label, '1')
    end
  end
elseif next_labels ~= labels and not string.find(labels .. next_labels, '\n', 1, true) then
  if labels ~= '' and redis.call('HINCRBY', KEYS[3], labels, '-1') <= 0 then redis.call('HDEL', KEYS[3], labels) end
  if next_labels ~= '' then redis.call('HINCRBY', KEYS[3], next_labels, '1') end
elseif next_labels ~= labels then
  local change = {}
  for label in string.gmatch(labels, '[^\n]+') do change[label] = (change[label] or 0) - 1 end
  for label in string.gmatch(next_labels, '[^\n]+') do change[label] = (change[label] or 0) + 1 end
  for label, by in pairs(change) do
    if by ~= 0 and redis.call('HINCRBY', KEYS[3], label, string.format('%d', by)) <= 0 then
      redis.call('HDEL', KEYS[3], label)
    end
  end
end

-- A lane that was empty belongs to this turn now.
local function append(items, lane, first, last)
  if first > last or redis.call('RPUSH', items, unpack(ARGV, first, last)) > last - first + 1 then return 0 end
  redis.call('ZADD', KEYS[6], string.format('%d', now + LANE_LEASE), lane)
  redis.call('HSET', KEYS[7], lane, since(false) .. turn)
  return 1
end
if messages_at > 18 then
  redis.call('LPOP', KEYS[5], messages_at - 18)
  if redis.call('LLEN', KEYS[5]) == 0 then
    redis.call('ZREM', KEYS[6], ARGV[11])
    redis.call('HDEL', KEYS[7], ARGV[11])
  end
end
local messages_leased = dropped == 0 and append(KEYS[4], ARGV[10], messages_at, jobs_at - 1) or 0
local wait = messages_leased == 1 and reserve(KEYS[10], ARGV[13], 1, ARGV[messages_at]) or 0
local jobs_leased = append(KEYS[5], ARGV[11], jobs_at, #ARGV)

if ARGV[12] ~= '' then keep_letter(KEYS[8], KEYS[12], ARGV[12]) end
return {0, version, messages_leased, jobs_leased, crowded_out, redis.call('INCR', KEYS[9]), false, wait, dropped}
