-- The index by which hosts are found without reading them. Each host has a slot, a small number. `index` is the HASH
-- slot -> identifier, '' for a slot that is nobody's; beside it stand
--   <index>:of    HASH identifier -> slot
--   <index>:tags  HASH slot -> JSON of the tags under which the slot is found
--   <index>:up    bitmap of the slots of live hosts: those that the ZSET `live` holds
--   <index>:idle  ZSET slot -> since when its host has not been live, ms
--   <index>:epoch STRING the newest session of all hosts that were forgotten
--   <index>:tag:<length of key>:<key>=<value>  the slots that carry it: a SET while they are few, else a bitmap

local few_slots = 256
-- After so long a slot of a silent host may become another host's, ms.
local slot_kept = 24 * 3600 * 1000

local function tag_key(index, key, value)
  return index .. ':tag:' .. #key .. ':' .. key .. '=' .. value
end

-- The numbers of the bits that are set, lowest first.
local function bits_of(key)
  local found = {}
  local at = redis.call('BITPOS', key, 1)
  while at >= 0 do
    local start = math.floor(at / 8)
    local byte = string.byte(redis.call('GETRANGE', key, start, start))
    for i = 0, 7 do
      if bit.band(byte, bit.rshift(128, i)) ~= 0 then
        found[#found + 1] = start * 8 + i
      end
    end
    at = redis.call('BITPOS', key, 1, start + 1)
  end
  return found
end

local function add_tag(name, slot)
  if redis.call('TYPE', name).ok == 'string' then
    redis.call('SETBIT', name, slot, 1)
    return
  end
  redis.call('SADD', name, slot)
  if redis.call('SCARD', name) > few_slots then
    local slots = redis.call('SMEMBERS', name)
    redis.call('DEL', name)
    for _, one in ipairs(slots) do
      redis.call('SETBIT', name, one, 1)
    end
  end
end

local function remove_tag(name, slot)
  if redis.call('TYPE', name).ok ~= 'string' then
    redis.call('SREM', name, slot)
    return
  end
  redis.call('SETBIT', name, slot, 0)
  -- Half as many, so that one host that comes and goes does not turn it over each time.
  if redis.call('BITCOUNT', name) <= few_slots / 2 then
    local slots = bits_of(name)
    redis.call('DEL', name)
    if #slots > 0 then
      redis.call('SADD', name, unpack(slots))
    end
  end
end

-- Finds the slot under these tags (JSON) and no others.
local function index_tags(index, slot, tags)
  local known = redis.call('HGET', index .. ':tags', slot)
  if known == tags then
    return
  end
  local old, new = cjson.decode(known or '{}'), cjson.decode(tags)
  for key, value in pairs(old) do
    if new[key] ~= value then
      remove_tag(tag_key(index, key, value), slot)
    end
  end
  for key, value in pairs(new) do
    if old[key] ~= value then
      add_tag(tag_key(index, key, value), slot)
    end
  end
  redis.call('HSET', index .. ':tags', slot, tags)
end

-- The slot of a host; one that has none is given the slot of a host long gone, or a new one.
local function slot_for(index, identifier, now)
  local slot = redis.call('HGET', index .. ':of', identifier)
  if slot then
    return slot
  end
  slot = redis.call('ZRANGEBYSCORE', index .. ':idle', '-inf', now - slot_kept, 'LIMIT', 0, 1)[1]
  if slot then
    redis.call('HDEL', index .. ':of', redis.call('HGET', index, slot))
    index_tags(index, slot, '{}')
  else
    slot = redis.call('HLEN', index)
  end
  redis.call('HSET', index, slot, identifier)
  redis.call('HSET', index .. ':of', identifier, slot)
  return slot
end

-- The host is live from now on, with the lease that `live` holds.
local function slot_up(index, slot)
  redis.call('SETBIT', index .. ':up', slot, 1)
  redis.call('ZREM', index .. ':idle', slot)
end

-- The host is live no more, since a time in ms.
local function host_down(index, live, identifier, since)
  redis.call('ZREM', live, identifier)
  local slot = redis.call('HGET', index .. ':of', identifier)
  if slot then
    redis.call('SETBIT', index .. ':up', slot, 0)
    redis.call('ZADD', index .. ':idle', since, slot)
  end
end

-- The slot of a host that is not live is nobody's from now on.
local function free_slot(index, identifier)
  local slot = redis.call('HGET', index .. ':of', identifier)
  if not slot then
    return
  end
  redis.call('HDEL', index .. ':of', identifier)
  index_tags(index, slot, '{}')
  redis.call('HSET', index, slot, '')
  redis.call('ZADD', index .. ':idle', 0, slot)
end

-- Slots that are nobody's go from the end, so many at most: a new one has the number of all that there are.
local function trim_slots(index, most)
  local last = redis.call('HLEN', index) - 1
  for at = last, math.max(0, last - most + 1), -1 do
    if redis.call('HGET', index, at) ~= '' then
      break
    end
    redis.call('HDEL', index, at)
    redis.call('HDEL', index .. ':tags', at)
    redis.call('ZREM', index .. ':idle', at)
  end
end

-- Takes down hosts whose lease is over, so many at most; returns how many it were.
local function sweep_hosts(index, live, now, most)
  local over = redis.call('ZRANGEBYSCORE', live, '-inf', now, 'WITHSCORES', 'LIMIT', 0, most)
  for i = 1, #over, 2 do
    host_down(index, live, over[i], over[i + 1])
  end
  return #over / 2
end
