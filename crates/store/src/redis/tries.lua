-- What a record says of tries: three causes with their counts, then five turns, each the latest first.
local function tries_of(record)
  return string.sub(record, 2, 42)
end

-- Where a cause is among them, if it is, and how often it was tried.
local function count_tries(tries, cause)
  for at = 1, 15, 7 do
    local count = string.byte(tries, at + 6)
    if count > 0 and string.sub(tries, at, at + 5) == cause then return at, count end
  end
  return false, 0
end

-- Where a turn is among them, if it is.
local function place_of(tries, turn)
  for at = 22, 38, 4 do
    if string.sub(tries, at, at + 3) == turn then return at end
  end
end

-- Without the cause or turn from one place to another; the others of its kind, up to the last place, move up.
local function without(tries, from, to, last)
  local rest = string.sub(tries, to + 1, last) .. string.rep('\0', to + 1 - from)
  return string.sub(tries, 1, from - 1) .. rest .. string.sub(tries, last + 1)
end

-- What is left when a cause has come to an end. With the last cause the turns go too.
local function without_cause(tries, at)
  tries = without(tries, at, at + 6, 21)
  return string.byte(tries, 7) > 0 and tries or string.rep('\0', 41)
end

-- Notes a try unless the turn is noted already, and answers how many there are. The oldest make room.
local function note_tries(key, record, cause, turn)
  local tries = tries_of(record)
  local at, count = count_tries(tries, cause)
  local place = place_of(tries, turn)
  if at and place then return count end
  at, place, count = at or 15, place or 38, math.min(count + 1, 255)
  redis.call('SETRANGE', key, '1', cause .. string.char(count) .. string.sub(tries, 1, at - 1) .. string.sub(tries, at + 7, 21)
    .. turn .. string.sub(tries, 22, place - 1) .. string.sub(tries, place + 4))
  return count
end
