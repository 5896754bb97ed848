#!lua
-- Resolves the target among the hosts that are alive now and writes the attack, its executions, the
-- outbox of each host and the due times, in one step.
-- KEYS 1 live hosts, 2 attacks, 3 this attack, 4 its executions, 5 due
-- ARGV 1 request (JSON: type, tags, exact, labels, draw, start_within_ms, lost_after_ms, protect_key,
--      protect_value, execution_ids[], host_prefix, outbox_prefix, open_prefix, execution_prefix,
--      max_hosts)
--      2 attack id, then field/value pairs of the attack record
-- Returns {'ok', now, execution id, host, execution id, host, ...}
--       | {'missing', identifier, ...} | {'none', hosts with the tags, protected containers}
--       | {'more', number of execution ids needed}
local request = cjson.decode(ARGV[1])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local wants_containers = next(request.labels) ~= nil
local seen_containers = {}
local protected = 0

local function carries(wanted, actual)
  for key, value in pairs(wanted) do
    if actual[key] ~= value then
      return false
    end
  end
  return true
end

-- The containers of a host that carry every label and that its owner leaves open.
local function matching_containers(identifier)
  local stored = redis.call('HGET', request.host_prefix .. identifier, 'containers')
  local found = {}
  for _, container in ipairs(cjson.decode(stored or '[]')) do
    if carries(request.labels, container.labels) then
      if container.protected or container.labels[request.protect_key] == request.protect_value then
        protected = protected + 1
      else
        found[#found + 1] = container
      end
    end
  end
  return found
end

local function is_targetable(identifier)
  local lease = redis.call('ZSCORE', KEYS[1], identifier)
  return lease and tonumber(lease) > now
    and redis.call('HGET', request.host_prefix .. identifier, 'state') == 'ACTIVE'
end

local chosen = {}
local tagged = 0
if request.type == 'Exact' then
  local missing = { 'missing' }
  for _, identifier in ipairs(request.exact) do
    if is_targetable(identifier) then
      chosen[#chosen + 1] = identifier
    else
      missing[#missing + 1] = identifier
    end
  end
  if #missing > 1 then
    return missing
  end
else
  local candidates = {}
  for _, identifier in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. now, '+inf')) do
    local tags = cjson.decode(redis.call('HGET', request.host_prefix .. identifier, 'tags') or '{}')
    if is_targetable(identifier) and carries(request.tags, tags) then
      tagged = tagged + 1
      if not wants_containers or #matching_containers(identifier) > 0 then
        candidates[#candidates + 1] = identifier
      end
    end
  end
  if #candidates > 0 then
    chosen[1] = candidates[(request.draw % #candidates) + 1]
  end
end

local rows = {}
local without = {}
for _, identifier in ipairs(chosen) do
  if wants_containers then
    local before = #rows
    for _, container in ipairs(matching_containers(identifier)) do
      -- Two agents may watch one engine: a container is hit through one of them only.
      if not seen_containers[container.id] then
        seen_containers[container.id] = true
        rows[#rows + 1] = { host = identifier, container = container }
      end
    end
    if #rows == before then
      without[#without + 1] = identifier
    end
  else
    rows[#rows + 1] = { host = identifier }
  end
end
if #rows == 0 then
  return { 'none', tagged, protected }
end
if #rows > #request.execution_ids then
  return { 'more', #rows }
end

redis.call('HSET', KEYS[3], 'created_ms', now, 'start_by_ms', now + request.start_within_ms,
  'without', #without == 0 and '[]' or cjson.encode(without))
for i = 3, #ARGV, 2 do
  redis.call('HSET', KEYS[3], ARGV[i], ARGV[i + 1])
end
redis.call('ZADD', KEYS[2], now, ARGV[2])
local result = { 'ok', now }
for i, row in ipairs(rows) do
  local id = request.execution_ids[i]
  local container = row.container or {}
  redis.call('HSET', request.execution_prefix .. id, 'id', id, 'attack_id', ARGV[2],
    'host', row.host, 'container_id', container.id or '', 'container_name', container.name or '',
    'stage', 'Pending', 'generation', 1, 'seq', 0, 'created_ms', now, 'updated_ms', now,
    'service_states', 'Pending@' .. now, 'client_states', '')
  redis.call('RPUSH', KEYS[4], id)
  redis.call('HSET', request.outbox_prefix .. row.host, id, 1)
  redis.call('SADD', request.open_prefix .. row.host, id)
  redis.call('ZADD', KEYS[5], now + request.lost_after_ms, id)
  result[#result + 1] = id
  result[#result + 1] = row.host
end
return result
