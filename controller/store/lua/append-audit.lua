#!lua
-- Appends entries to a chain of the audit, unless somebody else appended since the head was read.
-- KEYS 1 head: HASH sequence, hash, time (ms) of the newest entry, 2 STREAM of the entries by sequence
-- ARGV 1 sequence and 2 hash of the head as it was read (0 and '' for none), 3 time of the new head, ms,
--   4 hash of the new head, then each entry's text; none only reads the head
-- Returns {1 when the head was as read, sequence, hash and time of the head now, Redis' clock, ms}
local head = redis.call('HMGET', KEYS[1], 'sequence', 'hash', 'time')
local sequence, hash, time = head[1] or '0', head[2] or '', head[3] or '0'
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
if sequence ~= ARGV[1] or hash ~= ARGV[2] then
  return { 0, sequence, hash, time, now }
end
for i = 5, #ARGV do
  sequence = string.format('%.0f', sequence + 1)
  redis.call('XADD', KEYS[2], sequence .. '-0', 'entry', ARGV[i])
end
if #ARGV > 4 then
  hash, time = ARGV[4], ARGV[3]
  redis.call('HSET', KEYS[1], 'sequence', sequence, 'hash', hash, 'time', time)
end
return { 1, sequence, hash, time, now }
