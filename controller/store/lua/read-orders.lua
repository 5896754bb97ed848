#!lua
-- The orders that wait for some hosts and whose attack is there, with what the agents are told, all as they are at one
-- moment. An attack that somebody is halting is begun nowhere any more.
-- KEYS 1 due: any key of the team
-- ARGV 1 execution prefix, 2 attack prefix, 3 outbox prefix, 4 how many orders are enough, then the hosts
-- Returns {now, attacks, orders, orders, ...}: for each attack its id, type, params and start by ms; the orders of each
-- host, until there are enough: execution id, generation, container id, container name, number of the attack (the first is 0)
local time = redis.call('TIME')
local attacks, numbers, size = {}, {}, 0

-- The number of an attack that is there, and who halts it.
local function attack_of(id)
  local known = numbers[id]
  if not known then
    local record = redis.call('HMGET', ARGV[2] .. id, 'id', 'type', 'params', 'start_by_ms', 'halted_by')
    known = { halted_by = record[5] }
    if record[1] then
      known.number = #attacks / 4
      for i = 1, 4 do
        attacks[#attacks + 1] = record[i]
      end
    end
    numbers[id] = known
  end
  return known
end

local function orders_of(host)
  local orders = {}
  local outbox = redis.call('HGETALL', ARGV[3] .. host)
  for i = 1, #outbox, 2 do
    local execution = redis.call('HMGET', ARGV[1] .. outbox[i], 'container_id', 'container_name', 'attack_id')
    local attack = execution[3] and attack_of(execution[3])
    if attack and attack.number and (outbox[i + 1] ~= '1' or not attack.halted_by) then
      for _, value in ipairs({ outbox[i], outbox[i + 1], execution[1] or '', execution[2] or '', attack.number }) do
        orders[#orders + 1] = value
      end
    end
  end
  size = size + #outbox / 2
  return orders
end

local result = { time[1] * 1000 + math.floor(time[2] / 1000), attacks }
for i = 5, #ARGV do
  result[#result + 1] = orders_of(ARGV[i])
  if size >= tonumber(ARGV[4]) then
    break
  end
end
return result
