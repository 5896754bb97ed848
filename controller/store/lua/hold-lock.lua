#!lua
-- Takes a lock, keeps it, or gives it back.
-- KEYS 1 lock; ARGV 1 who, 2 for how long, ms; 0 gives it back
-- Returns 1, or 0 when somebody else has it
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then
  return 0
end
if ARGV[2] == '0' then
  redis.call('DEL', KEYS[1])
else
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
end
return 1
