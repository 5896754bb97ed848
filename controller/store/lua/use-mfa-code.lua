#!lua
-- Uses a code up: a time step that is later than every used one, or a recovery code that is left.
-- KEYS 1 second factor of the user
-- ARGV 1 id of the factor, 2 'step' or 'recovery', 3 time step, or hash of the recovery code
-- Returns 1 for exactly one of those who try, else 0
if redis.call('HGET', KEYS[1], 'id') ~= ARGV[1] then
  return 0
end
if ARGV[2] == 'recovery' then
  return redis.call('HDEL', KEYS[1], 'r:' .. ARGV[3])
end
if tonumber(redis.call('HGET', KEYS[1], 'lastStep')) >= tonumber(ARGV[3]) then
  return 0
end
redis.call('HSET', KEYS[1], 'lastStep', ARGV[3])
return 1
