#!lua
-- Counts a request of somebody within a window of time. Not written to disk: who asks often does not wait for the
-- disk each time, and a Redis that is started again may count from nothing.
-- KEYS 1 STRING how many there were, which expires with the window
-- ARGV 1 length of the window, ms
-- Returns {how many there were with this one, ms until the window ends}
redis.set_repl(redis.REPL_REPLICA)
local count = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  left = tonumber(ARGV[1])
  redis.call('PEXPIRE', KEYS[1], left)
end
return { count, left }
