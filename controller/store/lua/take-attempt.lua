#!lua
-- Counts a try to sign in before anything of it is checked, so that tries in parallel do not pass. Not written to
-- disk: settle-attempt writes what was wrong.
-- KEYS 1 the tries of one user or address: ZSET `p:<id>` (being checked) or `f:<id>` (failed) -> when it ceases to count, ms
-- ARGV 1 id of the try, 2 how many may count, 3 for how long one counts, ms, 4 how long a check may take, ms
-- Returns {'ok'} | {'busy'} when what is being checked fills it | {'locked', ms until the next try}
redis.set_repl(redis.REPL_REPLICA)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local limit, window = tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local tries = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
if #tries / 2 < limit then
  redis.call('ZADD', KEYS[1], now + window, 'p:' .. ARGV[1])
  redis.call('PEXPIRE', KEYS[1], window)
  return { 'ok' }
end
for i = 1, #tries, 2 do
  local started = tonumber(tries[i + 1]) - window
  if string.sub(tries[i], 1, 2) == 'p:' and started > now - tonumber(ARGV[4]) then
    return { 'busy' }
  end
end
return { 'locked', tonumber(tries[2]) - now }
