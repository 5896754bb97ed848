-- Writes attacks and executions. Needs creation.

-- The targets: each with its record, its order in the host's outbox, and when it counts as lost. At most some hundreds.
local function write_executions(attack_id, executions, due, rows)
  local ids, times = {}, {}
  for i, row in ipairs(rows) do
    redis.call('HSET', request.execution_prefix .. row.id, 'id', row.id, 'attack_id', attack_id,
      'host', row.host, 'container_id', row.container_id, 'container_name', row.container_name,
      'stage', 'Pending', 'generation', 1, 'seq', 0, 'created_ms', now, 'updated_ms', now,
      'service_states', 'Pending@' .. now, 'client_states', '')
    redis.call('HSET', request.outbox_prefix .. row.host, row.id, 1)
    redis.call('SADD', request.open_prefix .. row.host, row.id)
    ids[i] = row.id
    times[2 * i - 1] = now + request.lost_after_ms
    times[2 * i] = row.id
  end
  redis.call('RPUSH', executions, unpack(ids))
  redis.call('ZADD', due, unpack(times))
end

-- The attack itself; its fields are ARGV from 3. Whoever has it can reach its executions: it comes last.
local function write_record(keys, size, without)
  redis.call('HSET', keys.attack, 'created_ms', now, 'start_by_ms', now + request.start_within_ms, 'without', without,
    unpack(ARGV, 3))
  redis.call('ZADD', keys.attacks, now, ARGV[2])
  -- Of an attack in slices some may be over: their host was revoked.
  if redis.call('HINCRBY', keys.attack, 'open', size) > 0 then
    redis.call('ZADD', keys.active, now, ARGV[2])
  end
  if given(request.idempotency) then
    redis.call('SET', keys.idempotency, ARGV[2] .. ' ' .. request.idempotency, 'EX', 86400)
  end
end

local function announce_target(events, id)
  redis.call('XADD', events, 'MAXLEN', '~', 10000, '*', 'attack', ARGV[2], 'execution', id,
    'stage', 'Pending', 'at', now)
end

-- All of it at once, with the keys of create-attack.
local function write_attack(rows, without)
  local result = { 'ok', now }
  for i, row in ipairs(rows) do
    local container = row.container or {}
    rows[i] = { id = request.execution_ids[i], host = row.host,
      container_id = container.id or '', container_name = container.name or '' }
    announce_target(KEYS[7], rows[i].id)
    for _, value in ipairs({ rows[i].id, row.host, rows[i].container_id, rows[i].container_name,
      redis.call('HGET', request.host_prefix .. row.host, 'controller') or '' }) do
      result[#result + 1] = value
    end
  end
  write_executions(ARGV[2], KEYS[5], KEYS[6], rows)
  write_record({ attack = KEYS[4], attacks = KEYS[2], active = KEYS[3], idempotency = KEYS[8] }, #rows,
    (request.type == 'Random' or #without == 0) and '[]' or cjson.encode(without))
  return result
end
