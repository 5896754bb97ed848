#!lua
-- The last write of an attack that came in slices: from now on it is there, with all its executions.
-- KEYS 1 attacks that are being written, 2 attacks, 3 active attacks, 4 this attack, 5 its executions, 6 events,
--      7 idempotency record, 8 who forbade new attacks
-- ARGV 1 request of create-attack, with without[]; 2 attack id, then field/value pairs of the attack record
-- Returns {'ok'} | {'withdrawn'} | {'repeated', attack id} | {'conflict'} | {'blocked', JSON of who forbade it} | {'late'}
-- @include creation
-- @include write-attack
-- The connection broke after this was written, and the command was sent once more.
if redis.call('HEXISTS', KEYS[4], 'id') == 1 then
  return { 'repeated', ARGV[2] }
end
local refused = refusal(KEYS[7], KEYS[8])
if refused then
  return refused
end
local until_ms = redis.call('ZSCORE', KEYS[1], ARGV[2])
if not until_ms or tonumber(until_ms) <= now then
  return { 'withdrawn' }
end
write_record({ attack = KEYS[4], attacks = KEYS[2], active = KEYS[3], idempotency = KEYS[7] },
  redis.call('LLEN', KEYS[5]), request.without)
redis.call('ZREM', KEYS[1], ARGV[2])
-- One event tells that there is a new attack; one for each target would push all others out of the stream.
announce_target(KEYS[6], redis.call('LINDEX', KEYS[5], 0))
return { 'ok' }
