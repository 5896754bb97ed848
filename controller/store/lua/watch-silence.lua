#!lua
-- Says whether the silence of hosts means anything: after a time in which nobody listened, they are given one to
-- come back and to say what has happened meanwhile.
-- KEYS 1 when somebody looked last, and from when on silence counts
-- ARGV 1 nobody listened when the last look is longer ago than this, ms; 2 how long hosts are given, ms
-- Returns 1 when it counts
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local seen = redis.call('HMGET', KEYS[1], 'looked_ms', 'counts_ms')
local counts = tonumber(seen[2] or 0)
if seen[1] and now - tonumber(seen[1]) > tonumber(ARGV[1]) then
  counts = now + tonumber(ARGV[2])
end
redis.call('HSET', KEYS[1], 'looked_ms', now, 'counts_ms', counts)
return counts <= now and 1 or 0
