#!lua
-- Opens a session of an agent: refuses a revoked host and a second live host of the same name.
-- KEYS 1 live hosts, 2 hosts, 3 this host, 4 revoked instances, 5 index of hosts
-- ARGV 1 identifier, 2 instance id, 3 lease ms, 4 which Hello of the agent this is (0 when nobody knows), 5 when
--      whoever asked gives up, on the clock of this server, then field/value pairs of the host record; `controller`
--      among them is who holds the session
-- Returns {'ok', epoch, now, 1 when another instance or nobody had this name, controller of the session before} | {'revoked'} | {'in_use', other instance, boot id, address, last seen ms} | {'outdated'} (a later Hello opened the session that is) | {'late'} (whoever asked has given up: nobody may be there any more)
-- @include host-index
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if now > tonumber(ARGV[5]) then
  return { 'late' }
end
local state = redis.call('HGET', KEYS[3], 'state')
if state == 'REVOKED' or redis.call('SISMEMBER', KEYS[4], ARGV[2]) == 1 then
  return { 'revoked' }
end
local other = redis.call('HGET', KEYS[3], 'instance_id')
local lease = redis.call('ZSCORE', KEYS[1], ARGV[1])
if other and other ~= ARGV[2] and lease and tonumber(lease) > now then
  local seen = redis.call('HMGET', KEYS[3], 'boot_id', 'address', 'last_seen_ms')
  return { 'in_use', other, seen[1] or '', seen[2] or '', seen[3] or '' }
end
-- A controller that was frozen may have held this Hello for long. Without a lease nobody speaks for the host: then the
-- clock of the host may have gone back.
local latest = tonumber(redis.call('HGET', KEYS[3], 'attempt') or '0')
if other == ARGV[2] and tonumber(ARGV[4]) > 0 and latest > tonumber(ARGV[4]) and lease and tonumber(lease) > now then
  return { 'outdated' }
end
if not other then
  -- It may have been forgotten: no session of before is the newest again.
  redis.call('HSETNX', KEYS[3], 'epoch', redis.call('GET', KEYS[5] .. ':epoch') or 0)
end
local epoch = redis.call('HINCRBY', KEYS[3], 'epoch', 1)
local before = redis.call('HGET', KEYS[3], 'controller') or ''
redis.call('HSETNX', KEYS[3], 'created_ms', now)
redis.call('HSET', KEYS[3], 'identifier', ARGV[1], 'instance_id', ARGV[2], 'state', 'ACTIVE',
  'last_seen_ms', now, 'updated_ms', now, 'attempt', ARGV[4], unpack(ARGV, 6))
redis.call('SADD', KEYS[2], ARGV[1])
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[3]), ARGV[1])
local slot = slot_for(KEYS[5], ARGV[1], now)
index_tags(KEYS[5], slot, redis.call('HGET', KEYS[3], 'tags') or '{}')
slot_up(KEYS[5], slot)
return { 'ok', epoch, now, other == ARGV[2] and 0 or 1, before }
