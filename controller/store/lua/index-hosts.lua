#!lua
-- Brings hosts that are live into the index, from what their records say.
-- KEYS 1 live hosts, 2 index of hosts
-- ARGV 1 prefix of host records, then identifiers
-- Returns 0
-- @include host-index
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for i = 2, #ARGV do
  local lease = redis.call('ZSCORE', KEYS[1], ARGV[i])
  if lease and tonumber(lease) > now then
    local slot = slot_for(KEYS[2], ARGV[i], now)
    index_tags(KEYS[2], slot, redis.call('HGET', ARGV[1] .. ARGV[i], 'tags') or '{}')
    slot_up(KEYS[2], slot)
  end
end
return 0
