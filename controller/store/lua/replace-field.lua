#!lua
-- Writes a field of a hash while it still holds what was read.
-- KEYS 1 hash; ARGV 1 field, 2 value as it was read (empty for none), 3 the new one
-- Returns 1 | 0
if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then
  return 0
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1
