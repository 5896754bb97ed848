#!lua
-- Makes a pending second factor the one that counts, unless another is pending by now or one counts already.
-- KEYS 1 second factor of the user, 2 pending one
-- ARGV 1 id of the pending one, 2 time step of the code that proved it, 3 now, ms, then hashes of the recovery codes
-- Returns 1 | 0
if redis.call('HGET', KEYS[2], 'id') ~= ARGV[1] or redis.call('EXISTS', KEYS[1]) == 1 then
  return 0
end
redis.call('HSET', KEYS[1], 'id', ARGV[1], 'seed', redis.call('HGET', KEYS[2], 'seed'),
  'lastStep', ARGV[2], 'sinceMs', ARGV[3])
for i = 4, #ARGV do
  redis.call('HSET', KEYS[1], 'r:' .. ARGV[i], 1)
end
redis.call('DEL', KEYS[2])
return 1
