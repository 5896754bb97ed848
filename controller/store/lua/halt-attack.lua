#!lua
-- Orders the end of those of some executions of an attack that are not over. Repeating it changes nothing.
-- KEYS 1 attack, 2 its executions, 3 events, 4 attacks that are being written
-- ARGV 1 attack id, 2 who, 3 comma-separated stages that may move to Halt, 4 execution prefix,
--      5 outbox prefix, 6 reason, 7 reference, 8 number of the first execution, 9 of the last
-- Returns {'unknown'} | {'ok', how many executions there are, now, then what has something to halt: host, execution,
--          generation, ...}
-- @include attack-progress
if redis.call('HEXISTS', KEYS[1], 'id') == 0 then
  -- It will not start if it is being written.
  redis.call('ZADD', KEYS[4], 'XX', 0, ARGV[1])
  return { 'unknown' }
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local result = { 'ok', redis.call('LLEN', KEYS[2]), now }
for _, id in ipairs(redis.call('LRANGE', KEYS[2], ARGV[8], ARGV[9])) do
  local key = ARGV[4] .. id
  local current = redis.call('HMGET', key, 'stage', 'host', 'service_states', 'generation')
  if current[1] and string.find(',' .. ARGV[3] .. ',', ',' .. current[1] .. ',', 1, true) then
    local generation = current[4] + 1
    redis.call('HSET', key, 'stage', 'Halt', 'updated_ms', now, 'generation', generation,
      'service_states', current[3] .. ';Halt@' .. now)
    redis.call('HSET', ARGV[5] .. current[2], id, generation)
    announce(KEYS[3], ARGV[1], id, 'Halt', now)
    result[#result + 1] = current[2]
    result[#result + 1] = id
    result[#result + 1] = generation
  end
end
if #result > 3 and redis.call('HSETNX', KEYS[1], 'halted_by', ARGV[2]) == 1 then
  redis.call('HSET', KEYS[1], 'halt_reason', ARGV[6], 'halt_reference', ARGV[7])
end
return result
