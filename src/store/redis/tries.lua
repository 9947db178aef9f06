-- What a record says of the tries of a cause: how many, and the last four turns that were noted, the latest first.
local function tries_of(record, cause)
  if string.sub(record, 2, 9) ~= cause then return 0, string.rep('\0', 32) end
  return string.byte(record, 42), string.sub(record, 10, 41)
end

-- Where a turn is among those that were noted, or nothing.
local function place_of(turns, turn)
  for at = 1, 32, 8 do
    if string.sub(turns, at, at + 7) == turn then return at end
  end
end

-- Notes a try unless the turn is noted already, and answers how many there are.
local function note(key, record, cause, turn)
  local tries, turns = tries_of(record, cause)
  if tries > 0 and place_of(turns, turn) then return tries end
  tries = math.min(tries + 1, 255)
  redis.call('SETRANGE', key, 1, cause .. turn .. string.sub(turns, 1, 24) .. string.char(tries))
  return tries
end
