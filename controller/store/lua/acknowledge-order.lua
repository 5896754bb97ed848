#!lua
-- The agent has this order in its journal: it leaves the outbox and the execution moves on.
-- KEYS 1 execution, 2 outbox of the host, 3 events, 4 host
-- ARGV 1 host, 2 execution id, 3 generation, 4 session epoch
-- Returns 1 | 0 (no such order) | -1 (the session is not the host's own any more)
-- @include attack-progress
-- @include session-fence
if is_outdated(KEYS[4], ARGV[4]) then
  return -1
end
local current = redis.call('HMGET', KEYS[1], 'host', 'stage', 'service_states', 'attack_id')
if redis.call('HGET', KEYS[2], ARGV[2]) ~= ARGV[3] or current[1] ~= ARGV[1] then
  return 0
end
redis.call('HDEL', KEYS[2], ARGV[2])
local from, to = 'Pending', 'Distributed'
if tonumber(ARGV[3]) > 1 then
  from, to = 'Halt', 'HaltDistributed'
end
if current[2] ~= from then
  return 1
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[1], 'stage', to, 'updated_ms', now, 'service_states',
  current[3] .. ';' .. to .. '@' .. now)
announce(KEYS[3], current[4], ARGV[2], to, now)
return 1
