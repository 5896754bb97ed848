#!lua
-- Writes what a user is in a company, unless someone else changed it or nobody would own the company.
-- KEYS 1 members of the company
-- ARGV 1 user id, 2 the record as it was read (empty for a newcomer), 3 the new one,
--   4 '1' when an active owner ceases to be one
-- Returns 'ok' | 'changed' | 'last_owner'
local before = redis.call('HGET', KEYS[1], ARGV[1]) or ''
if before ~= ARGV[2] then
  return 'changed'
end
if ARGV[4] == '1' then
  local another = false
  local records = redis.call('HGETALL', KEYS[1])
  for i = 1, #records, 2 do
    if not another and records[i] ~= ARGV[1] and string.find(records[i + 1], 'COMPANY_OWNER', 1, true) then
      another = cjson.decode(records[i + 1]).state ~= 'REVOKED'
    end
  end
  if not another then
    return 'last_owner'
  end
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 'ok'
