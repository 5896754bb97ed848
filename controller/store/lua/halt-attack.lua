#!lua
-- Orders the end of every execution of an attack that is not over. Repeating it changes nothing.
-- KEYS 1 attack, 2 its executions
-- ARGV 1 who, 2 comma-separated stages that may move to Halt, 3 execution prefix, 4 outbox prefix
-- Returns {'unknown'} | {'ok', host, host, ...} with the hosts that have something to halt
if redis.call('EXISTS', KEYS[1]) == 0 then
  return { 'unknown' }
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local result = { 'ok' }
for _, id in ipairs(redis.call('LRANGE', KEYS[2], 0, -1)) do
  local key = ARGV[3] .. id
  local current = redis.call('HMGET', key, 'stage', 'host', 'service_states')
  if string.find(',' .. ARGV[2] .. ',', ',' .. current[1] .. ',', 1, true) then
    local generation = redis.call('HINCRBY', key, 'generation', 1)
    redis.call('HSET', key, 'stage', 'Halt', 'updated_ms', now,
      'service_states', current[3] .. ';Halt@' .. now)
    redis.call('HSET', ARGV[4] .. current[2], id, generation)
    redis.call('HSETNX', KEYS[1], 'halted_by', ARGV[1])
    result[#result + 1] = current[2]
  end
end
return result
