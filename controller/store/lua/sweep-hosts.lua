#!lua
-- Takes hosts whose lease is over out of the index, as far as one call may.
-- KEYS 1 live hosts, 2 index of hosts
-- ARGV 1 how many at most
-- Returns how many it were
-- @include host-index
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
return sweep_hosts(KEYS[2], KEYS[1], now, tonumber(ARGV[1]))
