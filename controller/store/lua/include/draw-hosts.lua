-- Draws hosts by the index, without reading the others. Needs host-index, resolve-target and what that needs.

-- One by one; more of them are drawn quicker by reading all.
local most_drawn = 64
-- A candidate of a few is looked at when it is drawn; after so many that do not match, all others are looked at.
local most_tries = 8
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

-- Whether a slot carries one of the values of a key, as a function.
local function test_of(group)
  local bytes, members = {}, {}
  for i, name in ipairs(group.bitmaps) do
    bytes[i] = redis.call('GET', name)
  end
  if #group.sets > 0 then
    for _, slot in ipairs(redis.call('SUNION', unpack(group.sets))) do
      members[tonumber(slot)] = true
    end
  end
  return function(slot)
    for _, one in ipairs(bytes) do
      if has_bit(one, slot) then
        return true
      end
    end
    return members[slot] == true
  end
end

-- The candidates as a list: one of the keys has only few.
local function list_pool(index, few, many)
  local single, tests = {}, { test_of({ bitmaps = { index .. ':up' }, sets = {} }) }
  local slots
  for _, group in ipairs(few) do
    if #group.sets == 0 then
      return { size = 0 }
    elseif #group.sets == 1 then
      single[#single + 1] = group.sets[1]
    elseif slots then
      tests[#tests + 1] = test_of(group)
    else
      slots = redis.call('SUNION', unpack(group.sets))
    end
  end
  if #single > 0 then
    local found = redis.call('SINTER', unpack(single))
    if slots then
      local either = {}
      for _, slot in ipairs(slots) do
        either[slot] = true
      end
      tests[#tests + 1] = function(slot)
        return either[tostring(slot)] == true
      end
    end
    slots = found
  end
  for _, group in ipairs(many) do
    tests[#tests + 1] = test_of(group)
  end
  local function is_match(slot)
    for _, test in ipairs(tests) do
      if not test(slot) then
        return false
      end
    end
    return true
  end
  local pool = { size = #slots }
  function pool.take(at)
    local slot = tonumber(slots[at + 1])
    slots[at + 1] = slots[pool.size]
    pool.size = pool.size - 1
    return (pool.is_settled or is_match(slot)) and slot or nil
  end
  -- Leaves only those that match.
  function pool.settle()
    local kept = 0
    for i = 1, pool.size do
      local slot = tonumber(slots[i])
      if is_match(slot) then
        kept = kept + 1
        slots[kept] = slot
      end
    end
    pool.size = kept
    pool.is_settled = true
  end
  return pool
end

-- The candidates as a bitmap.
local function bit_pool(index, many)
  local all, own = index .. ':up', index .. ':draw'
  local is_own = #many > 0
  if is_own then
    local names = { all }
    for i, group in ipairs(many) do
      local name = group.bitmaps[1]
      if #group.bitmaps + #group.sets > 1 then
        name = own .. ':' .. i
        redis.call('BITOP', 'OR', name, unpack(group.bitmaps))
        for _, set in ipairs(group.sets) do
          for _, slot in ipairs(redis.call('SMEMBERS', set)) do
            redis.call('SETBIT', name, slot, 1)
          end
        end
      end
      names[#names + 1] = name
    end
    redis.call('BITOP', 'AND', own, unpack(names))
  end
  local pool = { size = redis.call('BITCOUNT', is_own and own or all), is_settled = true }
  function pool.take(at)
    local slot = bit_at(is_own and own or all, at)
    pool.taken = slot
    pool.size = pool.size - 1
    return slot
  end
  -- Takes the one before out of what is drawn from, where there is a next.
  function pool.next()
    if not is_own then
      redis.call('BITOP', 'OR', own, all)
      is_own = true
    end
    redis.call('SETBIT', own, pool.taken, 0)
  end
  function pool.close()
    if is_own then
      redis.call('DEL', own)
    end
    for i, group in ipairs(many) do
      if #group.bitmaps + #group.sets > 1 then
        redis.call('DEL', own .. ':' .. i)
      end
    end
  end
  return pool
end

-- Takes from the pool until enough hosts are found. What the index proposes is looked at in the record of the host.
local function take_hosts(pool, wanted)
  local rows, controllers, turn = {}, 0, 0
  while #rows < wanted and pool.size > 0 do
    if turn > 0 and pool.next then
      pool.next()
    end
    turn = turn + 1
    if turn > most_tries and not pool.is_settled then
      pool.settle()
    end
    if not request.random[turn] then
      return rows, controllers, { 'more', 4 * turn }
    end
    if pool.size > 0 then
      local slot = pool.take(request.random[turn] % pool.size)
      local identifier = slot and redis.call('HGET', request.host_index, slot)
      local reason = identifier and why_not(identifier)
      if reason == 'controller' then
        controllers = controllers + 1
      elseif identifier and not reason then
        rows[#rows + 1] = { host = identifier }
      end
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
  local wanted = draw.count
  if given(draw.percent) then
    if not pool.is_settled and pool.settle then
      pool.settle()
    end
    wanted = math.ceil(pool.size * draw.percent / 100)
  end
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
