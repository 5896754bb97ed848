#!lua
-- Notes that something may become due in a team.
-- KEYS 1 busy teams
-- ARGV 1 team id
-- Returns 0
local time = redis.call('TIME')
redis.call('ZADD', KEYS[1], time[1] * 1000 + math.floor(time[2] / 1000), ARGV[1])
return 0
