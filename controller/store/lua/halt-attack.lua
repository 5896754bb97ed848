#!lua
-- Orders the end of every execution of an attack that is not over. Repeating it changes nothing.
-- KEYS 1 attack, 2 its executions, 3 events
-- ARGV 1 attack id, 2 who, 3 comma-separated stages that may move to Halt, 4 execution prefix,
--      5 outbox prefix, 6 reason, 7 reference
-- Returns {'unknown'} | {'ok', host, host, ...} with the hosts that have something to halt
-- @include attack-progress
if redis.call('EXISTS', KEYS[1]) == 0 then
  return { 'unknown' }
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local result = { 'ok' }
for _, id in ipairs(redis.call('LRANGE', KEYS[2], 0, -1)) do
  local key = ARGV[4] .. id
  local current = redis.call('HMGET', key, 'stage', 'host', 'service_states')
  if string.find(',' .. ARGV[3] .. ',', ',' .. current[1] .. ',', 1, true) then
    local generation = redis.call('HINCRBY', key, 'generation', 1)
    redis.call('HSET', key, 'stage', 'Halt', 'updated_ms', now,
      'service_states', current[3] .. ';Halt@' .. now)
    redis.call('HSET', ARGV[5] .. current[2], id, generation)
    if redis.call('HSETNX', KEYS[1], 'halted_by', ARGV[2]) == 1 then
      redis.call('HSET', KEYS[1], 'halt_reason', ARGV[6], 'halt_reference', ARGV[7])
    end
    announce(KEYS[3], ARGV[1], id, 'Halt', now)
    result[#result + 1] = current[2]
  end
end
return result
