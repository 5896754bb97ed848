#!lua
-- Applies a report about an execution: a stage, if the execution may move to it from where it is, and
-- figures. A late, repeated or foreign report changes nothing, and neither does one of an older session.
-- An execution that the controller ends is ordered no more.
-- KEYS 1 execution, 2 due, 3 open executions of the host, 4 events, 5 active attacks, 6 series,
--      7 host, 8 outbox of the host
-- ARGV 1 host that reports ('' for the controller itself), 2 seq of the report (0 for the controller),
--      3 stage, 4 comma-separated stages from which it may be reached, 5 is it terminal (1/0),
--      6 age of the report ms, 7 due in ms from now ('' leaves it), 8 attack prefix,
--      9 measured value for the series ('' for none), 10 session epoch ('' when there is none),
--      then field/value pairs
-- Returns {'moved' | 'figures' | 'ignored' | 'repeated' | 'unknown' | 'foreign' | 'outdated'}
-- @include attack-progress
-- @include session-fence
if is_outdated(KEYS[7], ARGV[10]) then
  return { 'outdated' }
end
local current = redis.call('HMGET', KEYS[1], 'host', 'stage', 'seq', 'id', 'attack_id')
if not current[4] then
  return { 'unknown' }
end
if ARGV[1] ~= '' and ARGV[1] ~= current[1] then
  return { 'foreign' }
end
local seq = tonumber(ARGV[2])
if seq > 0 and seq <= tonumber(current[3]) then
  return { 'repeated' }
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local happened = now - math.max(0, tonumber(ARGV[6]))
if seq > 0 then
  redis.call('HSET', KEYS[1], 'seq', seq)
end
if seq == 0 and ARGV[5] == '1' then
  redis.call('HDEL', KEYS[8], current[4])
end
local stage = ARGV[3]
local may_move = string.find(',' .. ARGV[4] .. ',', ',' .. current[2] .. ',', 1, true) ~= nil
if not may_move and (stage ~= current[2] or ARGV[5] == '1') then
  return { 'ignored' }
end
for i = 11, #ARGV, 2 do
  redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
end
redis.call('HSET', KEYS[1], 'updated_ms', now)
if ARGV[9] ~= '' and ARGV[5] ~= '1' then
  redis.call('RPUSH', KEYS[6], happened .. '@' .. ARGV[9])
  redis.call('LTRIM', KEYS[6], -3600, -1)
end
announce(KEYS[4], current[5], current[4], may_move and stage or current[2], now)
if not may_move then
  return { 'figures' }
end
local function append(field, entry)
  local before = redis.call('HGET', KEYS[1], field)
  redis.call('HSET', KEYS[1], field, (before and before ~= '') and (before .. ';' .. entry) or entry)
end
-- A report means that the host has the order, even if its acknowledgement is still on the way.
if current[2] == 'Pending' and seq > 0 then
  append('service_states', 'Distributed@' .. now)
end
redis.call('HSET', KEYS[1], 'stage', stage)
append('service_states', stage .. '@' .. now)
if seq > 0 then
  append('client_states', stage .. '@' .. happened)
end
if ARGV[5] == '1' then
  redis.call('HSET', KEYS[1], 'end_ms', happened)
  redis.call('ZREM', KEYS[2], current[4])
  redis.call('SREM', KEYS[3], current[4])
  execution_over(KEYS[5], ARGV[8] .. current[5], current[5])
elseif ARGV[7] ~= '' then
  redis.call('ZADD', KEYS[2], 'XX', now + tonumber(ARGV[7]), current[4])
end
return { 'moved' }
