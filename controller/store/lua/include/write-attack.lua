-- Writes an attack with its executions, each host's outbox entry, the due times and the events. Needs `request`, `now`,
-- `given` and the keys of create-attack.

local function write_attack(rows, without)
  redis.call('HSET', KEYS[4], 'created_ms', now, 'start_by_ms', now + request.start_within_ms,
    'open', #rows, 'without',
    (request.type == 'Random' or #without == 0) and '[]' or cjson.encode(without))
  for i = 3, #ARGV, 2 do
    redis.call('HSET', KEYS[4], ARGV[i], ARGV[i + 1])
  end
  redis.call('ZADD', KEYS[2], now, ARGV[2])
  redis.call('ZADD', KEYS[3], now, ARGV[2])
  local result = { 'ok', now }
  for i, row in ipairs(rows) do
    local id = request.execution_ids[i]
    local container = row.container or {}
    redis.call('HSET', request.execution_prefix .. id, 'id', id, 'attack_id', ARGV[2],
      'host', row.host, 'container_id', container.id or '', 'container_name', container.name or '',
      'stage', 'Pending', 'generation', 1, 'seq', 0, 'created_ms', now, 'updated_ms', now,
      'service_states', 'Pending@' .. now, 'client_states', '')
    redis.call('RPUSH', KEYS[5], id)
    redis.call('HSET', request.outbox_prefix .. row.host, id, 1)
    redis.call('SADD', request.open_prefix .. row.host, id)
    redis.call('ZADD', KEYS[6], now + request.lost_after_ms, id)
    redis.call('XADD', KEYS[7], 'MAXLEN', '~', 10000, '*', 'attack', ARGV[2], 'execution', id,
      'stage', 'Pending', 'at', now)
    result[#result + 1] = id
    result[#result + 1] = row.host
  end
  if given(request.idempotency) then
    redis.call('SET', KEYS[8], ARGV[2] .. ' ' .. request.idempotency, 'EX', 86400)
  end
  return result
end
