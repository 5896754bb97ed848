#!lua
-- The orders that wait for a host and whose attack is there, with what its agent is told, all as they are at one moment.
-- An attack that somebody is halting is begun nowhere any more.
-- KEYS 1 outbox of the host
-- ARGV 1 execution prefix, 2 attack prefix
-- Returns {now, then for each order: execution id, generation, container id, container name, attack id, type, params,
--          start by ms}
local time = redis.call('TIME')
local result = { time[1] * 1000 + math.floor(time[2] / 1000) }
local outbox = redis.call('HGETALL', KEYS[1])
for i = 1, #outbox, 2 do
  local execution = redis.call('HMGET', ARGV[1] .. outbox[i], 'container_id', 'container_name', 'attack_id')
  local attack = execution[3]
    and redis.call('HMGET', ARGV[2] .. execution[3], 'id', 'type', 'params', 'start_by_ms', 'halted_by')
  if attack and attack[1] and (outbox[i + 1] ~= '1' or not attack[5]) then
    for _, value in ipairs({ outbox[i], outbox[i + 1], execution[1] or '', execution[2] or '', attack[1], attack[2],
      attack[3], attack[4] }) do
      result[#result + 1] = value
    end
  end
end
return result
