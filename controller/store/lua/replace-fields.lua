#!lua
-- Writes fields of a hash while all of them still hold what was read.
-- KEYS 1 hash; ARGV for each: field, value as it was read (empty for none), the new one (empty: it stays)
-- Returns 1 | 0
for i = 1, #ARGV, 3 do
  if (redis.call('HGET', KEYS[1], ARGV[i]) or '') ~= ARGV[i + 1] then
    return 0
  end
end
for i = 1, #ARGV, 3 do
  if ARGV[i + 2] ~= '' then
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 2])
  end
end
return 1
