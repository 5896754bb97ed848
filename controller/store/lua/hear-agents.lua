#!lua
-- What is said of executions, each as if it came alone and in the order given. The controllers' own word has no host
-- to compare and no session: the execution's host stands in its place.
--   report  a stage, if the execution may move to it from where it is, and figures; a late, repeated or foreign one
--           changes nothing, and neither does one of an older session
--   end     the same by a controller; the execution is ordered no more
--   order   the agent has this order in its journal: it leaves the outbox and the execution moves on
-- KEYS 1 due, 2 events, 3 active attacks
-- ARGV 1 execution prefix, 2 attack prefix, 3 host prefix, 4 outbox prefix, 5 prefix of open executions, then twelve for each:
--      what of the above, host, session epoch ('' when there is none), execution id,
--      number of the report or generation of the order, stage, comma-separated stages from which it may be reached,
--      is it terminal (1/0), age of the report ms, due in ms from now ('' leaves it),
--      measured value for the series ('' for none), field/value pairs as a JSON list
-- Returns for each one of moved, figures, ignored, repeated, unknown, foreign, outdated
-- @include attack-progress
-- @include session-fence
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function acknowledge(host, id, generation)
  local key, outbox = ARGV[1] .. id, ARGV[4] .. host
  local current = redis.call('HMGET', key, 'host', 'stage', 'service_states', 'attack_id')
  if redis.call('HGET', outbox, id) ~= generation or current[1] ~= host then
    return 'unknown'
  end
  redis.call('HDEL', outbox, id)
  local from, to = 'Pending', 'Distributed'
  if tonumber(generation) > 1 then
    from, to = 'Halt', 'HaltDistributed'
  end
  if current[2] ~= from then
    return 'ignored'
  end
  redis.call('HSET', key, 'stage', to, 'updated_ms', now, 'service_states',
    current[3] .. ';' .. to .. '@' .. now)
  announce(KEYS[2], current[4], id, to, now)
  return 'moved'
end

local function appended(before, entry)
  return (before and before ~= '') and (before .. ';' .. entry) or entry
end

local function report(at)
  local kind, host, id, seq, stage = ARGV[at], ARGV[at + 1], ARGV[at + 3], tonumber(ARGV[at + 4]), ARGV[at + 5]
  local is_terminal, age, due, value = ARGV[at + 7] == '1', ARGV[at + 8], ARGV[at + 9], ARGV[at + 10]
  local key = ARGV[1] .. id
  local current = redis.call('HMGET', key, 'host', 'stage', 'seq', 'id', 'attack_id', 'service_states', 'client_states')
  if not current[4] then
    return 'unknown'
  elseif host ~= current[1] then
    return 'foreign'
  end
  local is_own = kind == 'end'
  if not is_own and seq <= tonumber(current[3]) then
    return 'repeated'
  end
  local may_move = string.find(',' .. ARGV[at + 6] .. ',', ',' .. current[2] .. ',', 1, true) ~= nil
  -- Also of an agent's word: it may have refused an order that it could not write down, and will never acknowledge it.
  if is_terminal and (is_own or may_move) then
    redis.call('HDEL', ARGV[4] .. host, id)
  end
  if not may_move and (stage ~= current[2] or is_terminal) then
    if not is_own then
      redis.call('HSET', key, 'seq', seq)
    end
    return 'ignored'
  end
  local happened = now - math.max(0, tonumber(age))
  local fields = cjson.decode(ARGV[at + 11])
  local function set(name, to)
    fields[#fields + 1] = name
    fields[#fields + 1] = to
  end
  set('updated_ms', now)
  if not is_own then
    set('seq', seq)
  end
  if value ~= '' and not is_terminal then
    local series = key .. ':series'
    if redis.call('RPUSH', series, happened .. '@' .. value) > 3600 then
      redis.call('LTRIM', series, -3600, -1)
    end
  end
  announce(KEYS[2], current[5], id, may_move and stage or current[2], now)
  if may_move then
    set('stage', stage)
    local service = current[6]
    -- A report means that the host has the order, even if its acknowledgement is still on the way.
    if current[2] == 'Pending' and not is_own then
      service = appended(service, 'Distributed@' .. now)
    end
    set('service_states', appended(service, stage .. '@' .. now))
    if not is_own then
      set('client_states', appended(current[7], stage .. '@' .. happened))
    end
    if is_terminal then
      set('end_ms', happened)
    end
  end
  redis.call('HSET', key, unpack(fields))
  if not may_move then
    return 'figures'
  elseif is_terminal then
    redis.call('ZREM', KEYS[1], id)
    redis.call('SREM', ARGV[5] .. host, id)
    execution_over(KEYS[3], ARGV[2] .. current[5], current[5])
  elseif due ~= '' then
    redis.call('ZADD', KEYS[1], 'XX', now + tonumber(due), id)
  end
  return 'moved'
end

local result = {}
for at = 6, #ARGV, 12 do
  local answer
  if is_outdated(ARGV[3] .. ARGV[at + 1], ARGV[at + 2]) then
    answer = 'outdated'
  elseif ARGV[at] == 'order' then
    answer = acknowledge(ARGV[at + 1], ARGV[at + 3], ARGV[at + 4])
  else
    answer = report(at)
  end
  result[#result + 1] = answer
end
return result
