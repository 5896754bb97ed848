#!lua
-- Gives a session its next pair of tokens for its renew token; a renew token of before ends the session.
-- KEYS 1 session: HASH with token and renew (hashes of the present pair), expiresMs, renewedMs
-- ARGV 1 hash of the renew token that was shown, 2 and 3 hashes of the next token and renew token,
--   4 when the next token expires, ms, 5 how long the same request gets the same answer, ms
-- Returns {'renewed', when the token expires} | {'reused'} | {'gone'}
local found = redis.call('HMGET', KEYS[1], 'token', 'renew', 'expiresMs', 'renewedMs')
if not found[1] then
  return { 'gone' }
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if found[2] == ARGV[1] then
  redis.call('HSET', KEYS[1], 'token', ARGV[2], 'renew', ARGV[3], 'expiresMs', ARGV[4], 'renewedMs', now)
  return { 'renewed', ARGV[4] }
end
-- Only the request that made the present pair can name it: its answer was lost.
if found[1] == ARGV[2] and now - tonumber(found[4] or 0) <= tonumber(ARGV[5]) then
  return { 'renewed', found[3] }
end
redis.call('DEL', KEYS[1])
return { 'reused' }
