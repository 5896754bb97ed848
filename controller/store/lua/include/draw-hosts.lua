-- Draws hosts by the index, without reading the others. Needs try-hosts and what that needs.

-- One by one; more of them are drawn quicker by reading all.
local most_drawn = 64
-- More whose lease is over are taken down by calls of their own first.
local most_swept = 32
-- To make one bitmap of several costs as much as to ask for some dozens of slots one by one.
local few_asked = 30

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

-- The number of the bit that has `rank` of the `count` set bits before it.
local function bit_at(key, rank, count)
  local low, high = 0, redis.call('STRLEN', key) - 1
  local halve = false
  while high - low > 3 do
    -- Where it is if they are spread evenly; each second time the middle, because they need not be.
    local at = low + math.floor((high - low) * (halve and 0.5 or (rank + 0.5) / count))
    local before = redis.call('BITCOUNT', key, low, at)
    if rank < before then
      high, count = at, before
    else
      low, rank, count = at + 1, rank - before, count - before
    end
    halve = not halve
  end
  for i, byte in ipairs({ string.byte(redis.call('GETRANGE', key, low, high), 1, -1) }) do
    for j = 0, 7 do
      if bit.band(byte, bit.rshift(128, j)) ~= 0 then
        if rank == 0 then
          return (low + i - 1) * 8 + j
        end
        rank = rank - 1
      end
    end
  end
end

-- All who match as a bitmap: live hosts with one of the values of each of the groups. Returns its name and the names
-- of all that was made for it.
local function join(index, groups)
  local own, names = index .. ':draw', { index .. ':up' }
  local made = { own }
  for i, group in ipairs(groups) do
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
  redis.call('BITOP', 'AND', own, unpack(names))
  return own, made
end

-- Those of the slots whose bits are set.
local function those_set(key, slots)
  local kept = {}
  if redis.call('BITCOUNT', key) == 0 then
    return kept
  end
  local bytes = redis.call('GET', key)
  for _, slot in ipairs(slots) do
    local low = slot % 8
    local byte = string.byte(bytes, (slot - low) / 8 + 1)
    if byte and bit.band(byte, bit.rshift(128, low)) ~= 0 then
      kept[#kept + 1] = slot
    end
  end
  return kept
end

local function those_in(group, slots)
  local kept = {}
  for _, slot in ipairs(slots) do
    if is_in(group, slot) then
      kept[#kept + 1] = slot
    end
  end
  return kept
end

-- The candidates as a list: one of the keys has only few.
local function list_pool(index, few, many)
  local names, tests, made = {}, {}, {}
  for _, group in ipairs(few) do
    if #group.sets == 0 then
      return { size = 0, made = made }
    elseif #group.sets == 1 then
      names[#names + 1] = group.sets[1]
    else
      tests[#tests + 1] = group
    end
  end
  local slots
  if #names > 0 then
    slots = redis.call('SINTER', unpack(names))
  else
    slots = redis.call('SUNION', unpack(table.remove(tests, 1).sets))
  end
  if #slots > few_asked then
    local own
    own, made = join(index, many)
    slots = those_set(own, slots)
  else
    tests = { { bitmaps = { index .. ':up' }, sets = {} }, unpack(tests) }
    for _, group in ipairs(many) do
      tests[#tests + 1] = group
    end
  end
  for _, group in ipairs(tests) do
    slots = those_in(group, slots)
  end
  local pool = { size = #slots, made = made }
  function pool.take(at)
    local slot = slots[at + 1]
    slots[at + 1] = slots[pool.size]
    slots[pool.size] = nil
    pool.size = pool.size - 1
    return slot
  end
  return pool
end

-- The candidates as a bitmap.
local function bit_pool(index, many)
  local own, made = join(index, many)
  local pool = { size = redis.call('BITCOUNT', own), made = made }
  function pool.take(at)
    local slot = bit_at(own, at, pool.size)
    redis.call('SETBIT', own, slot, 0)
    pool.size = pool.size - 1
    return slot
  end
  return pool
end

-- Takes from the pool until enough hosts are found. What the index proposes is looked at in the record of the host.
local function take_hosts(pool, wanted)
  local rows, controllers, turn = {}, 0, 0
  while #rows < wanted and pool.size > 0 do
    turn = turn + 1
    local number = next_number()
    if not number then
      return rows, controllers, { 'more', 8 * turn }
    end
    local slot = pool.take(number % pool.size)
    local identifier = redis.call('HGET', request.host_index, slot)
    local reason = identifier and why_not(identifier)
    if reason == 'controller' then
      controllers = controllers + 1
    elseif identifier and not reason then
      rows[#rows + 1] = { host = identifier }
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
  local found = draw.count == 1 and host_by_trial(index, few, many)
  if found then
    return nil, { { host = found } }, {}
  end
  -- What is made here is gone when this ends: neither the file nor a replica need it, and nothing waits for the disk.
  redis.set_repl(redis.REPL_NONE)
  local pool = #few > 0 and list_pool(index, few, many) or bit_pool(index, many)
  local wanted = given(draw.percent) and math.ceil(pool.size * draw.percent / 100) or draw.count
  local rows, controllers, answer = {}, 0, nil
  local is_large = wanted > most_drawn
  if not is_large then
    rows, controllers, answer = take_hosts(pool, wanted)
  end
  if #pool.made > 0 then
    redis.call('DEL', unpack(pool.made))
  end
  redis.set_repl(redis.REPL_ALL)
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
