#!lua
-- Writes what a user is in a company, unless someone else changed it or nobody would own the company.
-- KEYS 1 members of the company
-- ARGV 1 user id, 2 the record as it was read (empty for a newcomer), 3 the new one,
--   4 when an active owner ceases to be one, the id of another one, who must still be it; else empty
-- Returns 'ok' | 'changed'
local before = redis.call('HGET', KEYS[1], ARGV[1]) or ''
if before ~= ARGV[2] then
  return 'changed'
end
if ARGV[4] ~= '' then
  local heir = redis.call('HGET', KEYS[1], ARGV[4])
  local is_owner = false
  if heir then
    local record = cjson.decode(heir)
    for _, role in ipairs(record.roles) do
      is_owner = is_owner or (role == 'COMPANY_OWNER' and record.state ~= 'REVOKED')
    end
  end
  if not is_owner then
    return 'changed'
  end
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 'ok'
