#!lua
-- Writes the record of a team unless another team of the company has its name or someone else changed it. A new one must
-- not be of the same moment as another: which of them is older has to be clear.
-- KEYS 1 teams of the company
-- ARGV 1 team id, 2 the record as it was read (empty for a new team), 3 the new one, 4 its name in lower case
-- Returns 'ok' | 'taken' | 'changed' | 'same_moment'
local before = redis.call('HGET', KEYS[1], ARGV[1]) or ''
if before ~= ARGV[2] then
  return 'changed'
end
local records = redis.call('HGETALL', KEYS[1])
local made = before == '' and cjson.decode(ARGV[3]).createdMs
local is_same_moment = false
for i = 1, #records, 2 do
  local other = cjson.decode(records[i + 1])
  if records[i] ~= ARGV[1] and (other.nameKey or string.lower(other.name)) == ARGV[4] then
    return 'taken'
  end
  is_same_moment = is_same_moment or other.createdMs == made
end
if is_same_moment then
  return 'same_moment'
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 'ok'
