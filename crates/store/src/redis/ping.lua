-- Writes something by a script, as every turn does: where that is refused, nothing else would work either.
-- KEYS: ping
-- ARGV: time offset, how long its trace stays in ms
redis.call('SET', KEYS[1], '1', 'PX', ARGV[2])
return 1
