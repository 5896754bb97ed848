#!lua
-- Replaces all roles and teams of a user in a company by those that were claimed, or makes the user a member.
-- KEYS 1 members of the company, 2 teams of the company
-- ARGV 1 user id, 2 the record as it was read (empty for a newcomer), 3 the new one, then the ids of its teams
-- Returns 'ok' | 'changed' | 'no_team'
if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then
  return 'changed'
end
for i = 4, #ARGV do
  if redis.call('HEXISTS', KEYS[2], ARGV[i]) == 0 then
    return 'no_team'
  end
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 'ok'
