#!lua
-- Heartbeats and new inventories: renews the leases of sessions that are still their host's own. Those of older
-- sessions change nothing.
-- KEYS 1 live hosts, 2 index of hosts
-- ARGV 1 prefix of host records, 2 prefix of outboxes, 3 when whoever asked gives up, on the clock of this server,
--      then for each host its identifier, the session epoch, the lease in ms and the field/value pairs to write as a
--      JSON list
-- Returns {'late'} (that has passed: leases count from now, and nobody may be there any more), or 'ok' and for each host
-- how many orders wait for it, or -1 when the session was replaced or the host revoked, -2 when its slot went to another
-- host, so that it has to register again
-- @include session-fence
-- @include host-index
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if now > tonumber(ARGV[3]) then
  return { 'late' }
end

-- What can be asked for all at once is: that takes half the time.
local names, outboxes = {}, {}
for i = 4, #ARGV, 4 do
  names[#names + 1] = ARGV[i]
  outboxes[#outboxes + 1] = ARGV[2] .. ARGV[i]
end
local leases = redis.call('ZMSCORE', KEYS[1], unpack(names))
local is_any_waiting = redis.call('EXISTS', unpack(outboxes)) > 0
local renewed = {}

local function refresh(at, identifier, epoch, lease, fields)
  local key = ARGV[1] .. identifier
  if is_outdated(key, epoch) then
    return -1
  end
  local slot
  if not leases[at] then
    slot = redis.call('HGET', KEYS[2] .. ':of', identifier)
    if not slot then
      return -2
    end
    slot_up(KEYS[2], slot)
  end
  renewed[#renewed + 1] = now + lease
  renewed[#renewed + 1] = identifier
  redis.call('HSET', key, 'last_seen_ms', now, unpack(fields))
  for i = 1, #fields, 2 do
    if fields[i] == 'tags' then
      slot = slot or slot_for(KEYS[2], identifier, now)
      index_tags(KEYS[2], slot, fields[i + 1])
      slot_up(KEYS[2], slot)
    end
  end
  return is_any_waiting and redis.call('HLEN', outboxes[at]) or 0
end

local result = { 'ok' }
for at = 1, #names do
  local i = 4 * at
  result[at + 1] = refresh(at, ARGV[i], ARGV[i + 1], tonumber(ARGV[i + 2]), cjson.decode(ARGV[i + 3]))
end
if #renewed > 0 then
  redis.call('ZADD', KEYS[1], unpack(renewed))
end
return result
