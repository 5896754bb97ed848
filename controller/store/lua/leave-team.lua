#!lua
-- Forgets that something may become due in a team, unless that was noted not long ago.
-- KEYS 1 busy teams
-- ARGV 1 team id, 2 how long a note stays, ms
-- Returns 1 when the team is forgotten
local noted = redis.call('ZSCORE', KEYS[1], ARGV[1])
local time = redis.call('TIME')
if not noted or time[1] * 1000 + math.floor(time[2] / 1000) - noted < tonumber(ARGV[2]) then
  return 0
end
return redis.call('ZREM', KEYS[1], ARGV[1])
