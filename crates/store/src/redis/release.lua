-- Gives a lease up. The fence stays: it must never go back.
-- KEYS: lease
-- ARGV: time offset, packed holder
if redis.call('HGET', KEYS[1], 'holder') == ARGV[2] then
  redis.call('HDEL', KEYS[1], 'holder', 'until')
end
return 1
