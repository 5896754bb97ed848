#!lua
-- Nothing was heard of an execution by its due time: it is over, as the caller judges it. An order that the host never took is
-- replaced by a halt, so that it does nothing should the host come back.
-- KEYS 1 execution, 2 due, 3 open executions of the host, 4 events, 5 active attacks,
--      6 outbox of the host
-- ARGV 1 execution id, 2 stage, 3 reason, 4 message, 5 comma-separated stages it may leave,
--      6 attack prefix
-- @include attack-progress
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local due = redis.call('ZSCORE', KEYS[2], ARGV[1])
if not due or tonumber(due) > now then
  return 0
end
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('SREM', KEYS[3], ARGV[1])
local current = redis.call('HMGET', KEYS[1], 'stage', 'service_states', 'attack_id')
if not current[1] or not string.find(',' .. ARGV[5] .. ',', ',' .. current[1] .. ',', 1, true) then
  return 0
end
local generation = redis.call('HINCRBY', KEYS[1], 'generation', 1)
redis.call('HSET', KEYS[6], ARGV[1], generation)
redis.call('HSET', KEYS[1], 'stage', ARGV[2], 'reason', ARGV[3], 'output', ARGV[4],
  'updated_ms', now, 'end_ms', now, 'service_states',
  current[2] .. ';' .. ARGV[2] .. '@' .. now)
execution_over(KEYS[5], ARGV[6] .. current[3], current[3])
announce(KEYS[4], current[3], ARGV[1], ARGV[2], now)
return 1
