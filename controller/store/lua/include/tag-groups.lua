-- The index by tags: what is asked for as sets and bitmaps of slots. Needs host-index.

local set_encodings = { intset = true, listpack = true, hashtable = true }

-- Per key that is asked for: the keys of the index for its values; those groups first that hold sets alone.
local function tag_groups(index, selector)
  local few, many = {}, {}
  for key, values in pairs(selector) do
    local group = { sets = {}, bitmaps = {} }
    for _, value in ipairs(values) do
      local name = tag_key(index, key, value)
      -- Tells what it is, as TYPE does, and how it is kept.
      local encoding = redis.call('OBJECT', 'ENCODING', name)
      if set_encodings[encoding] then
        group.sets[#group.sets + 1] = name
        group.encoding = encoding
      elseif encoding then
        group.bitmaps[#group.bitmaps + 1] = name
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
