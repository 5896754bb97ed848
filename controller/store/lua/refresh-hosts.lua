#!lua
-- Heartbeats and new inventories: renews the leases of sessions that are still their host's own. Those of older
-- sessions change nothing.
-- KEYS 1 live hosts, 2 index of hosts
-- ARGV 1 prefix of host records, 2 prefix of outboxes, then for each host its identifier, the session epoch, the
--      lease in ms and the field/value pairs to write as a JSON list
-- Returns for each host how many orders wait for it, or -1 when the session was replaced, -2 when the host is
-- revoked, -3 when its slot went to another host, so that it has to register again
-- @include session-fence
-- @include host-index
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function refresh(identifier, epoch, lease, fields)
  local key = ARGV[1] .. identifier
  if is_outdated(key, epoch) then
    return -1
  elseif redis.call('HGET', key, 'state') == 'REVOKED' then
    return -2
  end
  local slot
  if redis.call('ZADD', KEYS[1], now + lease, identifier) == 1 then
    slot = redis.call('HGET', KEYS[2] .. ':of', identifier)
    if not slot then
      redis.call('ZREM', KEYS[1], identifier)
      return -3
    end
    slot_up(KEYS[2], slot)
  end
  redis.call('HSET', key, 'last_seen_ms', now, unpack(fields))
  for i = 1, #fields, 2 do
    if fields[i] == 'tags' then
      slot = slot or slot_for(KEYS[2], identifier, now)
      index_tags(KEYS[2], slot, fields[i + 1])
      slot_up(KEYS[2], slot)
    end
  end
  return redis.call('HLEN', ARGV[2] .. identifier)
end

local result = {}
for i = 3, #ARGV, 4 do
  result[#result + 1] = refresh(ARGV[i], ARGV[i + 1], tonumber(ARGV[i + 2]), cjson.decode(ARGV[i + 3]))
end
return result
