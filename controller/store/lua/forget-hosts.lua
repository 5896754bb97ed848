#!lua
-- Forgets those of these hosts that have been silent for long. Who was heard meanwhile stays, and so does a host with an
-- execution that is not over or an order that waits. What keeps a revoked one out is kept for ever.
-- KEYS 1 live hosts, 2 hosts, 3 index of hosts
-- ARGV 1 how long they have to be silent, ms, 2 prefix of host records, 3 of outboxes, 4 of open executions, then
--      identifiers
-- Returns how many were forgotten
-- @include host-index
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function stays(identifier, seen)
  local lease = redis.call('ZSCORE', KEYS[1], identifier)
  return lease and tonumber(lease) > now
    or tonumber(seen or '0') > now - tonumber(ARGV[1])
    or redis.call('EXISTS', ARGV[3] .. identifier, ARGV[4] .. identifier) > 0
end

-- Sessions of before must not count when the host joins again.
local function raise_epoch(epoch)
  local highest = redis.call('GET', KEYS[3] .. ':epoch')
  if tonumber(epoch or '0') > tonumber(highest or '0') then
    redis.call('SET', KEYS[3] .. ':epoch', epoch)
  end
end

local count = 0
for i = 5, #ARGV do
  local identifier = ARGV[i]
  local key = ARGV[2] .. identifier
  local record = redis.call('HMGET', key, 'last_seen_ms', 'epoch', 'state', 'instance_id')
  if not stays(identifier, record[1]) then
    host_down(KEYS[3], KEYS[1], identifier, 0)
    free_slot(KEYS[3], identifier)
    redis.call('UNLINK', key)
    if record[3] == 'REVOKED' then
      redis.call('HSET', key, 'identifier', identifier, 'epoch', record[2], 'state', record[3], 'instance_id', record[4])
    else
      raise_epoch(record[2])
    end
    count = count + redis.call('SREM', KEYS[2], identifier)
  end
end
trim_slots(KEYS[3], 200)
return count
