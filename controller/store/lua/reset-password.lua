#!lua
-- Sets a new password with the code of a reset, and uses the code up; all sessions of the user are over then.
-- KEYS 1 the user; ARGV 1 keyed hash of the code, 2 hash of the new password
-- Returns 1, or 0 when it is not the code or not any more
local record = redis.call('HMGET', KEYS[1], 'resetHash', 'resetExpiresMs')
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if not record[1] or record[1] ~= ARGV[1] or tonumber(record[2]) <= now then
  return 0
end
redis.call('HDEL', KEYS[1], 'resetHash', 'resetExpiresMs')
redis.call('HSET', KEYS[1], 'passwordHash', ARGV[2])
redis.call('HINCRBY', KEYS[1], 'epoch', 1)
return 1
