#!lua
-- The agent said goodbye: its host can be targeted no more.
-- KEYS 1 live hosts, 2 this host
-- ARGV 1 identifier, 2 session epoch
-- @include session-fence
if is_outdated(KEYS[2], ARGV[2]) then
  return 0
end
redis.call('ZREM', KEYS[1], ARGV[1])
return 1
