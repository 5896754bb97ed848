-- Who can be hit, and who of them is drawn. Needs `request`, `now`, `null`, `given` and the keys of create-attack.

local protected = 0
local out = {}

-- Every key with one of its values.
local function carries(selector, actual)
  for key, values in pairs(selector) do
    local found = false
    for _, value in ipairs(values) do
      found = found or actual[key] == value
    end
    if not found then
      return false
    end
  end
  return true
end

local named_containers
if given(request.containers) and given(request.containers.ids) then
  named_containers = {}
  for _, id in ipairs(request.containers.ids) do
    named_containers[id] = false
  end
end

-- Two agents may watch one engine: a container is hit through one of them only, the first of the pool.
local owner_of = {}

-- The containers of a host that match and that its owner leaves open.
local function matching_containers(identifier)
  local stored = redis.call('HGET', request.host_prefix .. identifier, 'containers')
  local found = {}
  for _, container in ipairs(cjson.decode(stored or '[]')) do
    local wanted = carries(request.containers.labels, container.labels)
      and (not named_containers or named_containers[container.id] ~= nil)
    if wanted then
      owner_of[container.id] = owner_of[container.id] or identifier
    end
    if wanted and owner_of[container.id] == identifier then
      if container.protected or container.labels[request.protect_key] == request.protect_value then
        protected = protected + 1
        out[#out + 1] = { host = identifier, container = container.id, name = container.name,
          reason = 'protected' }
      else
        if named_containers then
          named_containers[container.id] = true
        end
        found[#found + 1] = container
      end
    end
  end
  return found
end

local spared = {}
for _, boot_id in ipairs(request.spared_boot_ids) do
  spared[boot_id] = true
end

local function why_not(identifier)
  local record = redis.call('HMGET', request.host_prefix .. identifier, 'state', 'tags', 'boot_id')
  local lease = redis.call('ZSCORE', KEYS[1], identifier)
  if record[1] == 'REVOKED' then
    return 'revoked'
  elseif not lease or tonumber(lease) <= now or record[1] ~= 'ACTIVE' then
    return 'silent'
  elseif next(request.hosts.tags) and not carries(request.hosts.tags, cjson.decode(record[2] or '{}')) then
    return 'tags'
  elseif spared[record[3]] then
    return 'controller'
  end
end

-- Returns the answer when nothing is to be written; else nil, the rows ({host, container}) and the hosts that were
-- chosen and run no container that matches.
local function resolve_target()
  -- The hosts that are alive and carry the tags.
  local pool = {}
  local missing = { 'missing' }
  local controllers = { 'controller' }
  local asked
  local size = given(request.hosts.ids) and #request.hosts.ids
    or redis.call(request.preview and 'SCARD' or 'ZCARD', KEYS[request.preview and 9 or 1])
  if size > request.read_limit then
    return { 'large' }
  end
  if given(request.hosts.ids) then
    asked = request.hosts.ids
  elseif request.preview then
    -- Those that are out are named, too.
    asked = redis.call('SMEMBERS', KEYS[9])
    table.sort(asked)
  else
    asked = redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. now, '+inf')
  end
  for _, identifier in ipairs(asked) do
    local reason = why_not(identifier)
    if not reason then
      pool[#pool + 1] = identifier
    else
      if reason == 'controller' then
        controllers[#controllers + 1] = identifier
      elseif given(request.hosts.ids) and reason ~= 'tags' then
        missing[#missing + 1] = identifier
      end
      out[#out + 1] = { host = identifier, reason = reason }
    end
  end
  if given(request.containers) then
    -- By identifier, so that each attack reaches a container through the same agent, which knows of the others.
    table.sort(pool)
  end
  local tagged = #pool

  -- What can be drawn: hosts, each with its rows, or single containers.
  local units = {}
  local without = {}
  local of_containers = given(request.draw) and request.draw.of == 'containers'
  for _, identifier in ipairs(pool) do
    if not given(request.containers) then
      units[#units + 1] = { { host = identifier } }
    else
      local rows = {}
      for _, container in ipairs(matching_containers(identifier)) do
        rows[#rows + 1] = { host = identifier, container = container }
      end
      if #rows == 0 then
        without[#without + 1] = identifier
        out[#out + 1] = { host = identifier, reason = 'no_container' }
      elseif of_containers then
        for _, row in ipairs(rows) do
          units[#units + 1] = { row }
        end
      else
        units[#units + 1] = rows
      end
    end
  end
  for id, found in pairs(named_containers or {}) do
    if not found then
      missing[#missing + 1] = id
    end
  end

  local wanted = #units
  if given(request.draw) then
    if given(request.draw.percent) then
      wanted = math.ceil(#units * request.draw.percent / 100)
    else
      wanted = request.draw.count
    end
  end

  if request.preview then
    local rows = {}
    for _, unit in ipairs(units) do
      for _, row in ipairs(unit) do
        local container = row.container or {}
        rows[#rows + 1] = { host = row.host, container = container.id or null,
          name = container.name or null }
      end
    end
    return { 'preview', cjson.encode({ drawn = wanted, units = #units, rows = rows, out = out,
      missing = missing }) }
  end
  if #missing > 1 then
    return missing
  elseif given(request.hosts.ids) and #controllers > 1 then
    return controllers
  elseif #units == 0 then
    return { 'none', tagged, protected, #controllers - 1 }
  elseif wanted > #units then
    return { 'few', #units, wanted }
  elseif wanted < #units and wanted > #request.random then
    return { 'more', wanted }
  end

  -- Fisher and Yates: each unit is drawn with the same chance.
  if wanted < #units then
    for i = 1, wanted do
      local j = i + request.random[i] % (#units - i + 1)
      units[i], units[j] = units[j], units[i]
    end
  end
  local rows = {}
  for i = 1, wanted do
    for _, row in ipairs(units[i]) do
      rows[#rows + 1] = row
    end
  end
  if #rows > #request.execution_ids then
    return { 'more', #rows }
  end
  return nil, rows, without
end
