#!lua
-- Removes a field of a hash while it still holds this value: of several who try, one gets it.
-- KEYS 1 hash; ARGV 1 field, 2 value
-- Returns 1 | 0
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then
  return 0
end
return redis.call('HDEL', KEYS[1], ARGV[1])
