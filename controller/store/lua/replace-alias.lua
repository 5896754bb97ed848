#!lua
-- Writes or removes a field of a hash while it still holds what was read.
-- KEYS 1 hash; ARGV 1 field, 2 value as it was read (empty for none), 3 the new one (empty: it goes)
-- Returns 1 | 0
if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then
  return 0
end
if ARGV[3] == '' then
  redis.call('HDEL', KEYS[1], ARGV[1])
else
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
end
return 1
