-- Draws one host by trial. Needs tag-groups, and the request and why_not of resolve-target.

-- More trials than this cost as much as to find out who all match. With many tags few hosts match.
local function most_trials(many)
  return #many < 3 and 8 or 2
end

local numbers_used = 0
-- A random number of the caller; nil when all were used.
local function next_number()
  numbers_used = numbers_used + 1
  return request.random[numbers_used]
end

-- The smallest set that holds all who match, and how many it holds; nil when there is none that Redis draws evenly from.
local function smallest_set(few)
  local name, size
  for _, group in ipairs(few) do
    -- SRANDMEMBER is fair for this encoding alone.
    if #group.sets == 1 and group.encoding == 'intset' then
      local count = redis.call('SCARD', group.sets[1])
      if not size or count < size then
        name, size = group.sets[1], count
      end
    end
  end
  return name, size
end

-- Whether a slot is in all of the groups. The one that it is not in is asked first from then on.
local function is_in_all(groups, slot)
  for i, group in ipairs(groups) do
    if not is_in(group, slot) then
      groups[i], groups[1] = groups[1], group
      return false
    end
  end
  return true
end

-- Takes any slot, and another one when its host does not match: so each that does has the same chance, whatever the
-- number of trials. Nil when all were in vain, which says nothing of whether any host matches.
local function host_by_trial(index, few, many)
  local set, size = smallest_set(few)
  if #few > 0 and not set then
    return nil
  end
  local groups = { { bitmaps = { index .. ':up' }, sets = {} }, unpack(many) }
  for _, group in ipairs(few) do
    if group.sets[1] ~= set or #group.sets > 1 then
      groups[#groups + 1] = group
    end
  end
  local slots = redis.call('HLEN', index)
  for _ = 1, math.min(most_trials(many), 2 * (size or slots)) do
    local slot
    if set then
      slot = redis.call('SRANDMEMBER', set)
    else
      -- As text: Redis is slow to make one of a number, and the slot is asked for several times.
      local number = next_number()
      slot = number and string.format('%d', number % slots)
    end
    if slot and is_in_all(groups, slot) then
      local identifier = redis.call('HGET', index, slot)
      if identifier and not why_not(identifier) then
        return identifier
      end
    end
  end
end
