#!lua
-- A heartbeat or a new inventory: renews the lease, if the session is still the host's own.
-- KEYS 1 live hosts, 2 this host, 3 its outbox
-- ARGV 1 identifier, 2 session epoch, 3 lease ms, then field/value pairs of the host record
-- Returns {'ok', length of the outbox} | {'revoked'} | {'replaced'}
-- @include session-fence
if is_outdated(KEYS[2], ARGV[2]) then
  return { 'replaced' }
end
if redis.call('HGET', KEYS[2], 'state') == 'REVOKED' then
  return { 'revoked' }
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[3]), ARGV[1])
redis.call('HSET', KEYS[2], 'last_seen_ms', now)
for i = 4, #ARGV, 2 do
  redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1])
end
return { 'ok', redis.call('HLEN', KEYS[3]) }
