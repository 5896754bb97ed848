#!lua
-- The agent said goodbye: its host can be targeted no more.
-- KEYS 1 live hosts, 2 this host, 3 index of hosts
-- ARGV 1 identifier, 2 session epoch
-- @include session-fence
-- @include host-index
if is_outdated(KEYS[2], ARGV[2]) then
  return 0
end
local time = redis.call('TIME')
host_down(KEYS[3], KEYS[1], ARGV[1], time[1] * 1000 + math.floor(time[2] / 1000))
return 1
