-- A record, then what its head says: version, time, length of the labels and of the body. Of one that cannot be read the bytes
-- alone; what is not even a string comes as Redis dumps it.
local function record_of(key)
  local record = redis.pcall('GET', key)
  if type(record) == 'table' then return redis.call('DUMP', key) end
  if not record or #record < 72 or not string.find('RCDB', string.sub(record, 1, 1), 1, true) then return record end
  local version, when, _, labels, body = struct.unpack('>I8I8I8I2I4', record, 43)
  local marks = #record - 72 - labels - body
  if marks < 0 or marks % 8 ~= 0 then return record end
  return record, version, when, labels, body
end
