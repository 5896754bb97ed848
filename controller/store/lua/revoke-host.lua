#!lua
-- Cuts a host off, or lets it back: the name and the instance of the agent that holds it.
-- KEYS 1 live hosts, 2 this host, 3 revoked instances, 4 index of hosts, 5 hosts
-- ARGV 1 identifier, 2 REVOKED or ACTIVE
-- @include host-index
local instance = redis.call('HGET', KEYS[2], 'instance_id')
if not instance then
  return 0
end
redis.call('HSET', KEYS[2], 'state', ARGV[2])
if ARGV[2] == 'ACTIVE' then
  redis.call('SREM', KEYS[3], instance)
  -- It is listed no more when it was silent for long.
  redis.call('SADD', KEYS[5], ARGV[1])
  return 1
end
redis.call('SADD', KEYS[3], instance)
redis.call('HINCRBY', KEYS[2], 'epoch', 1)
local time = redis.call('TIME')
host_down(KEYS[4], KEYS[1], ARGV[1], time[1] * 1000 + math.floor(time[2] / 1000))
return 1
