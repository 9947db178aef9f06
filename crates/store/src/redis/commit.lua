-- Puts a step into effect. There is no rollback in Lua: all checks come before the first write.
--
-- What Lua makes, it has to sweep up again, which is most of what a script costs: so strings are compared where they stand, numbers go
-- to Redis as text where they are known as such, and what is rarely needed is not even defined before it is.
-- KEYS: record, as which the other keys of its partition begin
-- ARGV: time offset,
--       packed: ms of the load, expected version, how long an idle record is kept in ms, how many bytes all keys begin with,
--               how many jobs to settle, how many messages;
--       packed update id or '', packed cause, record from its time on and without marks, chat, limits,
--       packed token of the jobs to settle or '', dead letter or '', ids to settle with a line feed…, messages…, jobs…
-- Answers, packed, 0, version, messages leased, jobs leased, crowded out, sequence, how long the messages wait in µs,
--                     messages dropped; or
--                  1 duplicate, 2 too old, 3 conflict, 4 stale or 5 conflict with a record that cannot be read, now, pending, tries,
--                     0, 0, 0, 0, and behind that the record without its marks, if there is one
local loaded_at, expected, idle, place_bytes, settles, messages = struct.unpack('>I8I8I8I2I2I2', ARGV[2])
local update, cause, tail, chat, limits = ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7]
local messages_at = 10 + settles
local jobs_at = messages_at + messages
local turn = string.sub(tail, 9, 16)
local second = math.floor(now / 1000)
local place = string.sub(KEYS[1], 1, place_bytes)
local lanes, message_lane, job_lane = place .. 'lanes', 'MESSAGES:' .. chat, 'JOBS:' .. chat

local old, version, when, label_bytes, body_bytes = record_of(KEYS[1])
local labels, old_due, marks = '', 0, 73
local seen, same, as_expected = false, false, false
-- Of a record that cannot be read nothing is taken over.
local broken = old and not version
if old and not broken and label_bytes == 0 and when <= now then old = false end
if broken then
  marks, as_expected = #old + 1, expected == UNREADABLE
elseif not old then
  as_expected = expected == 0
else
  marks = 73 + label_bytes + body_bytes
  as_expected = version == expected
  same = string.find(old, turn, 59, true) == 59 and string.byte(old) ~= BARE
  if label_bytes > 0 then labels, old_due = string.sub(old, 73, 72 + label_bytes), when end
  local mark = update ~= '' and string.find(old, update, marks, true)
  while mark and not seen do
    local aligned = (mark - marks) % 8 == 0
    seen = aligned and second - struct.unpack('>I4', old, mark + 4) < SEEN_FOR
    mark = string.find(old, update, mark + 1, true)
  end
end

-- Whether the jobs to settle are the first of their lane, and the lane is theirs who settle them.
local can_settle, jobs = true, false
if ARGV[8] ~= '' then
  -- here: lane.lua
  jobs = redis.call('HGET', lanes, job_lane)
  can_settle = is_held(jobs, ARGV[8])
  for at = 10, messages_at - 1 do
    local item = can_settle and (at == 10 and head_of(jobs) or redis.call('LINDEX', place .. 'behind:' .. job_lane, at - 11))
    can_settle = item and string.sub(item, 1, #ARGV[at]) == ARGV[at]
  end
end

local verdict = 0
if seen then verdict = 1
elseif now - loaded_at > MAX_TURN_AGE then verdict = 2
elseif not as_expected then verdict = 3
elseif not can_settle then verdict = 4
end

-- Off the straight way: perhaps this turn was here before.
if same or verdict > 0 or not old or broken then
  -- here: lane.lua
  local held = redis.call('HMGET', lanes, message_lane, job_lane)
  local has_messages, has_jobs = is_held(held[1], turn), is_held(held[2], turn)
  if same or has_messages or has_jobs then
    local sequence = redis.call('GET', place .. 'seq') or 0
    local crowded_out = same and string.sub(old, 1, 1) == 'C' and 1 or 0
    local dropped = same and string.sub(old, 1, 1) == 'D' and messages or 0
    local head = has_messages and head_of(held[1])
    local wait = 0
    if head and is_paced(place, limits, chat, head) then
      -- here: pace.lua
      wait = reserve(place, limits, chat, 1, head)
    end
    local stands, leased, jobs_leased = old and version or 0, has_messages and 1 or 0, has_jobs and 1 or 0
    return struct.pack(ANSWER, 0, stands, leased, jobs_leased, crowded_out, tonumber(sequence), wait, dropped)
  end
  if verdict == 3 then
    local _, count = false, 0
    if old and not broken then
      -- here: tries.lua
      _, count = count_tries(tries_of(old), cause)
    end
    local pending = held[2] and 1 + redis.call('LLEN', place .. 'behind:' .. job_lane) or 0
    return struct.pack(ANSWER, broken and 5 or 3, now, pending, count, 0, 0, 0, 0) .. (old and string.sub(old, 1, marks - 1) or '')
  elseif verdict > 0 then
    return struct.pack(ANSWER, verdict, now, 0, 0, 0, 0, 0, 0)
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

-- What other causes were tried and have not come to an end; as good as always there are none.
local tries = NO_TRIES
if old and not broken then
  local is_alone = string.byte(old, 15) == 0
  if not is_alone or string.byte(old, 8) > 0 and string.find(old, cause, 2, true) ~= 2 then
    -- here: tries.lua
    tries = tries_of(old)
    local at = count_tries(tries, cause)
    if at then tries = without_cause(tries, at) end
  end
end

-- From here on it is written. An update shows that messages reach the chat again; nothing else does.
local dropped = 0
if update ~= '' then
  redis.call('SREM', place .. 'blocked', chat)
elseif messages > 0 and redis.call('SISMEMBER', place .. 'blocked', chat) == 1 then
  dropped = messages
end

version = old and not broken and version + 1 or now
local due, _
due, _, label_bytes = struct.unpack('>I8I8I2', tail)
local kind = crowded_out > 0 and 'C' or dropped > 0 and 'D' or 'R'
local seen_at = update == '' and '' or struct.pack('>I4', second)
if label_bytes > 0 then
  redis.call('SET', KEYS[1], kind .. tries .. struct.pack('>I8', version) .. tail .. kept .. update .. seen_at)
else
  due = 0
  local head = kind .. tries .. struct.pack('>I8I8', version, now + idle)
  local left = idle == 0 and '1' or string.format('%d', idle)
  redis.call('SET', KEYS[1], head .. string.sub(tail, 9) .. kept .. update .. seen_at, 'PX', left)
end

-- A timer that is put off, or not wanted any more, is left where it stands; see due.lua.
local timers = place .. 'timers'
if due > 0 and (broken or old_due == 0 or due < old_due) then
  local dialogue = string.sub(KEYS[1], place_bytes + #'d:' + 1)
  local stands = redis.call('ZSCORE', timers, dialogue)
  if not stands or tonumber(stands) > due then redis.call('ZADD', timers, string.format('%d', due), dialogue) end
elseif due == 0 and (broken or update == '') then
  redis.call('ZREM', timers, string.sub(KEYS[1], place_bytes + #'d:' + 1))
end

local next_labels, active = string.sub(tail, 23, 22 + label_bytes), place .. 'active'
if broken then
  -- Nobody knows what it was counted under: the partition is counted anew.
  redis.call('DEL', active)
  for _, dialogue in ipairs(redis.call('ZRANGE', timers, 0, -1)) do
    local record, known, _, bytes = record_of(place .. 'd:' .. dialogue)
    for label in string.gmatch(known and string.sub(record, 73, 72 + bytes) or '', '[^\n]+') do
      redis.call('HINCRBY', active, label, '1')
    end
  end
elseif next_labels ~= labels and not string.find(labels .. next_labels, '\n', 1, true) then
  if labels ~= '' and redis.call('HINCRBY', active, labels, '-1') <= 0 then redis.call('HDEL', active, labels) end
  if next_labels ~= '' then redis.call('HINCRBY', active, next_labels, '1') end
elseif next_labels ~= labels then
  local change = {}
  for label in string.gmatch(labels, '[^\n]+') do change[label] = (change[label] or 0) - 1 end
  for label in string.gmatch(next_labels, '[^\n]+') do change[label] = (change[label] or 0) + 1 end
  for label, by in pairs(change) do
    if by ~= 0 and redis.call('HINCRBY', active, label, string.format('%d', by)) <= 0 then
      redis.call('HDEL', active, label)
    end
  end
end

if settles > 0 then
  -- here: take.lua
  take(place, job_lane, jobs, settles)
end

-- A lane that was empty belongs to this turn now.
local messages_leased, jobs_leased, wait = 0, 0, 0
if messages > 0 and dropped == 0 and put(place, message_lane, turn, messages_at, jobs_at - 1) then
  messages_leased = 1
  if is_paced(place, limits, chat, true) then
    -- here: pace.lua
    wait = reserve(place, limits, chat, 1, ARGV[messages_at])
  end
end
if #ARGV >= jobs_at and put(place, job_lane, turn, jobs_at, #ARGV) then jobs_leased = 1 end

if ARGV[9] ~= '' then
  -- here: letter.lua
  keep_letter(place .. 'dead', place .. 'dropped', ARGV[9])
end
local sequence = redis.call('INCR', place .. 'seq')
return struct.pack(ANSWER, 0, version, messages_leased, jobs_leased, crowded_out, sequence, wait, dropped)
