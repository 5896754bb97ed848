#!lua
-- Removes some executions of an attack that was not committed, so that it cannot be from here on.
-- KEYS 1 attacks that are being written, 2 this attack, 3 its executions, 4 due
-- ARGV 1 attack id, 2 how many at most, 3 execution prefix, 4 outbox prefix, 5 open prefix
-- Returns how many are left, 0 when all of it is gone
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then
  return 0
end
redis.call('ZADD', KEYS[1], 0, ARGV[1])
local last = tonumber(ARGV[2]) - 1
for _, id in ipairs(redis.call('LRANGE', KEYS[3], 0, last)) do
  local host = redis.call('HGET', ARGV[3] .. id, 'host')
  if host then
    redis.call('HDEL', ARGV[4] .. host, id)
    redis.call('SREM', ARGV[5] .. host, id)
  end
  redis.call('DEL', ARGV[3] .. id)
  redis.call('ZREM', KEYS[4], id)
end
redis.call('LTRIM', KEYS[3], last + 1, -1)
local left = redis.call('LLEN', KEYS[3])
if left == 0 then
  redis.call('DEL', KEYS[2])
  redis.call('ZREM', KEYS[1], ARGV[1])
end
return left
