#!lua
-- Ends a try to sign in that was counted when it began. Only what was wrong goes to disk.
-- KEYS 1 the tries of one user or address, as in take-attempt
-- ARGV 1 id of the try, 2 'fail' when it was wrong, 'give_back' when it was not, 'forget' when all tries are
--   forgiven, 3 for how long a wrong one counts, ms
if ARGV[2] == 'fail' then
  redis.set_repl(redis.REPL_REPLICA)
  redis.call('ZREM', KEYS[1], 'p:' .. ARGV[1])
  redis.set_repl(redis.REPL_ALL)
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  redis.call('ZADD', KEYS[1], now + ARGV[3], 'f:' .. ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return
end
if ARGV[2] == 'give_back' then
  redis.set_repl(redis.REPL_REPLICA)
  redis.call('ZREM', KEYS[1], 'p:' .. ARGV[1])
  return
end
local is_on_disk = false
for _, try in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  is_on_disk = is_on_disk or string.sub(try, 1, 2) == 'f:'
end
if not is_on_disk then
  redis.set_repl(redis.REPL_REPLICA)
end
redis.call('DEL', KEYS[1])
