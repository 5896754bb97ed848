#!lua
-- Makes or changes a key so that it works, unless its owner has too many that do.
-- KEYS 1 ids of the user's keys
-- ARGV 1 id, 2 prefix of the keys' records, 3 how many may work, 4 now, ms, then field/value pairs; '' removes the field
-- Returns 1, or 0 when there are too many
local working = 0
for _, id in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  if id ~= ARGV[1] then
    local record = redis.call('HMGET', ARGV[2] .. id, 'revokedMs', 'expiresMs')
    local isExpired = record[2] and tonumber(record[2]) <= tonumber(ARGV[4])
    if not record[1] and not isExpired then
      working = working + 1
    end
  end
end
if working >= tonumber(ARGV[3]) then
  return 0
end
redis.call('SADD', KEYS[1], ARGV[1])
for i = 5, #ARGV, 2 do
  if ARGV[i + 1] == '' then
    redis.call('HDEL', ARGV[2] .. ARGV[1], ARGV[i])
  else
    redis.call('HSET', ARGV[2] .. ARGV[1], ARGV[i], ARGV[i + 1])
  end
end
return 1
