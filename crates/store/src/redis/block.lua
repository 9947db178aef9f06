-- Notes that messages do not reach a chat, unless the person wrote after the call began that shows it.
-- KEYS: blocked, record of the person in their private chat
-- ARGV: time offset, chat, how long ago in ms the call began if any, packed id of the update it was to answer or ''
-- Answers whether it is noted
if ARGV[3] then
  local record, version, _, labels, body = record_of(KEYS[2])
  if version and #record > 72 + labels + body then
    local second = struct.unpack('>I4', record, #record - 3)
    local update = string.sub(record, -8, -5)
    if update ~= ARGV[4] and second >= math.floor((now - ARGV[3]) / 1000) then return 0 end
  end
end
redis.call('SADD', KEYS[1], ARGV[2])
return 1
