#!lua
-- Forgets attacks that ended long ago, a bounded part of them: each leaves the lists and is no more found, then its
-- executions go. What a call leaves undone the next one takes up, whoever makes it.
-- KEYS 1 attacks, 2 active attacks, 3 LIST of the attacks whose executions are being forgotten
-- ARGV 1 attacks that ended before this are forgotten, ms, 2 how many of the oldest are passed over, 3 how many executions
--   may go in one call, 4 attack prefix, 5 execution prefix, 6 outbox prefix
-- Returns {how many attacks left the lists, how many more of the oldest are kept, 1 when something is left to do}
local before = tonumber(ARGV[1])
local begun, kept = 0, 0
local candidates = {}
if redis.call('LLEN', KEYS[3]) == 0 then
  candidates = redis.call('ZRANGE', KEYS[1], '-inf', '(' .. ARGV[1], 'BYSCORE', 'LIMIT', ARGV[2], 50)
end
for _, id in ipairs(candidates) do
  local attack = redis.call('HMGET', ARGV[4] .. id, 'ended_ms', 'created_ms', 'length_seconds')
  -- Old records do not say when they ended.
  local ended = attack[1] or (attack[2] and attack[2] + attack[3] * 1000) or 0
  if redis.call('ZSCORE', KEYS[2], id) or tonumber(ended) >= before then
    kept = kept + 1
  else
    redis.call('ZREM', KEYS[1], id)
    redis.call('UNLINK', ARGV[4] .. id)
    redis.call('RPUSH', KEYS[3], id)
    begun = begun + 1
  end
end

local budget = tonumber(ARGV[3])
while budget > 0 do
  local id = redis.call('LINDEX', KEYS[3], 0)
  if not id then
    break
  end
  local executions = redis.call('LPOP', ARGV[4] .. id .. ':executions', budget) or {}
  for _, execution in ipairs(executions) do
    local key = ARGV[5] .. execution
    -- A host that never came back has still the order to stop.
    local host = redis.call('HGET', key, 'host')
    if host then
      redis.call('HDEL', ARGV[6] .. host, execution)
    end
    redis.call('UNLINK', key, key .. ':series')
  end
  if #executions < budget then
    redis.call('LPOP', KEYS[3])
  end
  budget = budget - #executions - 1
end
local is_more = #candidates == 50 or redis.call('LLEN', KEYS[3]) > 0
return { begun, kept, is_more and 1 or 0 }
