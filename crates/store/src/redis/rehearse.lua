-- Gives every command that the scripts give, on keys of its own. Lua takes nothing back: with one of them refused, a step would be
-- done by half.
-- KEYS: as which these keys begin
-- ARGV: time offset, how long a trace of it stays in ms
-- Answers the first one that is refused, and why, or nothing
local text, hash, list, set, sorted =
  KEYS[1] .. ':text', KEYS[1] .. ':hash', KEYS[1] .. ':list', KEYS[1] .. ':set', KEYS[1] .. ':sorted'
local commands = {
  {'TIME'},
  {'SET', text, '1', 'PX', ARGV[2]}, {'GET', text}, {'SETRANGE', text, '0', '1'}, {'INCR', text}, {'INCRBY', text, '1'},
  {'EXISTS', text}, {'DUMP', text},
  {'HSET', hash, 'a', '1'}, {'HSETNX', hash, 'b', '1'}, {'HINCRBY', hash, 'a', '1'}, {'HGET', hash, 'a'}, {'HMGET', hash, 'a'},
  {'HGETALL', hash}, {'HEXISTS', hash, 'a'}, {'HDEL', hash, 'a'},
  {'RPUSH', list, '1'}, {'LPUSH', list, '1'}, {'LINDEX', list, '0'}, {'LRANGE', list, '0', '0'}, {'LLEN', list},
  {'LTRIM', list, '0', '0'}, {'LPOP', list},
  {'SADD', set, '1'}, {'SISMEMBER', set, '1'}, {'SREM', set, '1'},
  {'ZADD', sorted, '1', 'a'}, {'ZSCORE', sorted, 'a'}, {'ZRANGE', sorted, '0', '0'}, {'ZRANGEBYSCORE', sorted, '-inf', '1'},
  {'ZREMRANGEBYSCORE', sorted, '-inf', '0'}, {'ZREM', sorted, 'a'},
  {'DEL', text, hash, list, set, sorted},
}
local refused = false
for _, command in ipairs(commands) do
  local answer = redis.pcall(unpack(command))
  local why = type(answer) == 'table' and answer.err
  -- What may pass, such as a full memory, has a word of its own in front.
  if why and (string.find(why, '^ERR ') or string.find(why, '^NOPERM ')) then
    refused = refused or command[1] .. ': ' .. why
  end
end
return refused
