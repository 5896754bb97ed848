-- Draws hosts by the index, without reading the others. Needs host-index, resolve-target and what that needs.

-- One by one; more of them are drawn quicker by reading all.
local most_drawn = 64
-- More whose lease is over are taken down by calls of their own first.
local most_swept = 32

-- Whether the index can answer: hosts at random, not too many of them.
local function can_draw()
  local draw = request.draw
  if request.preview or request.read_all or not given(draw) or given(request.hosts.ids)
    or given(request.containers) then
    return false
  end
  -- A share of the hosts without those of controllers: these are in the index like others.
  return given(draw.percent) and #request.spared_boot_ids == 0
    or given(draw.count) and draw.count <= most_drawn
end

local function has_bit(bytes, slot)
  slot = tonumber(slot)
  local byte = string.byte(bytes, math.floor(slot / 8) + 1)
  return byte ~= nil and bit.band(byte, bit.rshift(128, slot % 8)) ~= 0
end

-- The number of the bit that has `rank` set bits before it.
local function bit_at(key, rank)
  local low, high = 0, redis.call('STRLEN', key) - 1
  while low < high do
    local middle = math.floor((low + high) / 2)
    local count = redis.call('BITCOUNT', key, low, middle)
    if rank < count then
      high = middle
    else
      rank = rank - count
      low = middle + 1
    end
  end
  local byte = string.byte(redis.call('GETRANGE', key, low, low))
  for i = 0, 7 do
    if bit.band(byte, bit.rshift(128, i)) ~= 0 then
      if rank == 0 then
        return low * 8 + i
      end
      rank = rank - 1
    end
  end
end

-- Per key that is asked for: the keys of the index for its values, those that are bitmaps first.
local function tag_groups(index, selector)
  local few, many = {}, {}
  for key, values in pairs(selector) do
    local group = { sets = {}, bitmaps = {} }
    for _, value in ipairs(values) do
      local name = tag_key(index, key, value)
      local kind = redis.call('TYPE', name).ok
      local list = kind == 'string' and group.bitmaps or group.sets
      if kind ~= 'none' then
        list[#list + 1] = name
      end
    end
    local groups = #group.bitmaps == 0 and few or many
    groups[#groups + 1] = group
  end
  return few, many
end

local function is_in(group, slot)
  for _, name in ipairs(group.bitmaps) do
    if redis.call('GETBIT', name, slot) == 1 then
      return true
    end
  end
  for _, name in ipairs(group.sets) do
    if redis.call('SISMEMBER', name, slot) == 1 then
      return true
    end
  end
  return false
end

-- Which of the slots carry one of the values of a key. A whole bitmap costs as much as some dozens of questions.
local function those_in(group, slots)
  local bytes, kept = {}, {}
  for i, name in ipairs(#slots > 30 and #group.sets == 0 and group.bitmaps or {}) do
    bytes[i] = redis.call('GET', name)
  end
  for _, slot in ipairs(slots) do
    local found = #bytes == 0 and is_in(group, slot)
    for _, one in ipairs(bytes) do
      found = found or has_bit(one, slot)
    end
    if found then
      kept[#kept + 1] = slot
    end
  end
  return kept
end

-- The candidates as a list: one of the keys has only few.
local function list_pool(index, few, many)
  local names, tests = {}, {}
  for _, group in ipairs(few) do
    if #group.sets == 0 then
      return { size = 0 }
    elseif #group.sets == 1 then
      names[#names + 1] = group.sets[1]
    else
      tests[#tests + 1] = group
    end
  end
  for _, group in ipairs(many) do
    tests[#tests + 1] = group
  end
  tests[#tests + 1] = { bitmaps = { index .. ':up' }, sets = {} }
  local slots
  if #names > 0 then
    slots = redis.call('SINTER', unpack(names))
  else
    slots = redis.call('SUNION', unpack(table.remove(tests, 1).sets))
  end
  -- One is looked at when it is drawn; after some that do not match, all others are.
  local pool = { size = #slots, tries = 8 }
  function pool.take(at)
    local slot = slots[at + 1]
    slots[at + 1] = slots[pool.size]
    slots[pool.size] = nil
    pool.size = pool.size - 1
    for _, group in ipairs(pool.is_settled and {} or tests) do
      if not is_in(group, slot) then
        return nil
      end
    end
    return slot
  end
  -- Leaves only those that match.
  function pool.settle()
    for _, group in ipairs(tests) do
      slots = those_in(group, slots)
    end
    pool.size, pool.is_settled = #slots, true
  end
  return pool
end

-- The candidates as bitmaps. The rarest of them is drawn from, and what is drawn is looked up in the others: that
-- writes nothing. Only when they have little in common are they made one.
local function bit_pool(index, many)
  local own, names = index .. ':draw', { index .. ':up' }
  local base, made, pool, share = names[1], {}, { tries = 3 }, 1
  for i, group in ipairs(many) do
    local name = group.bitmaps[1]
    if #group.bitmaps + #group.sets > 1 then
      name = own .. ':' .. i
      made[#made + 1] = name
      redis.call('BITOP', 'OR', name, unpack(group.bitmaps))
      for _, set in ipairs(group.sets) do
        for _, slot in ipairs(redis.call('SMEMBERS', set)) do
          redis.call('SETBIT', name, slot, 1)
        end
      end
    end
    names[#names + 1] = name
  end
  local live = redis.call('BITCOUNT', names[1])
  pool.size = live
  for i = 2, #names do
    local size = redis.call('BITCOUNT', names[i])
    share = share * math.max(size, pool.size) / live
    if size < pool.size then
      base, pool.size = names[i], size
    end
  end
  function pool.take(at)
    local slot = bit_at(base, at)
    for _, name in ipairs(pool.is_settled and {} or names) do
      if name ~= base and redis.call('GETBIT', name, slot) == 0 then
        return nil
      end
    end
    return slot
  end
  function pool.settle()
    redis.call('BITOP', 'AND', own, unpack(names))
    made[#made + 1] = own
    base, pool.size, pool.is_settled = own, redis.call('BITCOUNT', own), true
  end
  function pool.drop(slot)
    if not pool.is_settled then
      pool.settle()
    end
    redis.call('SETBIT', own, slot, 0)
    pool.size = pool.size - 1
  end
  -- How many of the rarest would match, were the tags carried independently of each other.
  if share < 0.4 then
    pool.settle()
  end
  function pool.close()
    if #made > 0 then
      redis.call('DEL', unpack(made))
    end
  end
  return pool
end

-- Takes from the pool until enough hosts are found. What the index proposes is looked at in the record of the host.
local function take_hosts(pool, wanted)
  local rows, controllers, turn = {}, 0, 0
  while #rows < wanted and pool.size > 0 do
    turn = turn + 1
    if not request.random[turn] then
      return rows, controllers, { 'more', 8 * turn }
    end
    local slot = pool.take(request.random[turn] % pool.size)
    if slot then
      local identifier = redis.call('HGET', request.host_index, slot)
      local reason = identifier and why_not(identifier)
      if reason == 'controller' then
        controllers = controllers + 1
      elseif identifier and not reason then
        rows[#rows + 1] = { host = identifier }
      end
      if pool.drop and #rows < wanted then
        pool.drop(slot)
      end
    end
    if turn == pool.tries and #rows < wanted and not pool.is_settled then
      pool.settle()
    end
  end
  return rows, controllers
end

-- Returns what resolve_target returns; nil alone when all have to be read. The answer {'sweep'} asks for hosts whose
-- lease is over to be taken down first, {'mend'} for an index that does not hold all live hosts.
local function draw_hosts()
  local index, draw = request.host_index, request.draw
  if sweep_hosts(index, KEYS[1], now, most_swept) == most_swept then
    return { 'sweep' }
  elseif redis.call('ZCARD', KEYS[1]) ~= redis.call('BITCOUNT', index .. ':up') then
    return { 'mend' }
  end
  local few, many = tag_groups(index, request.hosts.tags)
  local pool = #few > 0 and list_pool(index, few, many) or bit_pool(index, many)
  if draw.count ~= 1 and pool.size > 0 and not pool.is_settled then
    pool.settle()
  end
  local wanted = given(draw.percent) and math.ceil(pool.size * draw.percent / 100) or draw.count
  local rows, controllers, answer = {}, 0, nil
  local is_large = wanted > most_drawn
  if not is_large then
    rows, controllers, answer = take_hosts(pool, wanted)
  end
  if pool.close then
    pool.close()
  end
  if is_large then
    return nil
  elseif answer then
    return answer
  elseif #rows == 0 then
    return { 'none', 0, 0, controllers }
  elseif #rows < wanted and given(draw.percent) then
    return { 'mend' }
  elseif #rows < wanted then
    return { 'few', #rows, wanted }
  elseif #rows > #request.execution_ids then
    return { 'more', #rows }
  end
  return nil, rows, {}
end
