#!lua
-- The agent said goodbye, or the host is revoked: it can be targeted no more.
-- KEYS 1 live hosts, 2 this host
-- ARGV 1 identifier, 2 session epoch, or '' to revoke whatever session there is
if ARGV[2] == '' then
  if redis.call('EXISTS', KEYS[2]) == 0 then
    return 0
  end
  redis.call('HSET', KEYS[2], 'state', 'REVOKED')
  redis.call('HINCRBY', KEYS[2], 'epoch', 1)
elseif redis.call('HGET', KEYS[2], 'epoch') ~= ARGV[2] then
  return 0
end
redis.call('ZREM', KEYS[1], ARGV[1])
return 1
