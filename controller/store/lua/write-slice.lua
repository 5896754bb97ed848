#!lua
-- Writes some executions of an attack that is too large for one script. They count for nothing until commit-attack has
-- written the attack: whoever looks for it finds none. Each host is looked at once more.
-- KEYS 1 live hosts, 2 attacks that are being written, 3 executions of this one, 4 due
-- ARGV 1 request of create-attack, with written_within_ms; 2 attack id,
--      3 JSON list of {id, host, container_id, container_name}, 4 how many were written before
-- Returns {'ok', host that is not there any more, ...} | {'withdrawn'} (by a halt, or because it took too long)
-- @include creation
-- @include resolve-target
-- @include write-attack
if ARGV[4] == '0' then
  redis.call('ZADD', KEYS[2], 'NX', now + request.written_within_ms, ARGV[2])
end
local until_ms = redis.call('ZSCORE', KEYS[2], ARGV[2])
if not until_ms or tonumber(until_ms) <= now then
  return { 'withdrawn' }
end
-- The connection broke after this was written, and the command was sent once more.
local was_written = redis.call('LLEN', KEYS[3]) > tonumber(ARGV[4])
local result, rows = { 'ok' }, {}
for _, row in ipairs(cjson.decode(ARGV[3])) do
  if was_written then
    if redis.call('EXISTS', request.execution_prefix .. row.id) == 0 then
      result[#result + 1] = row.host
    end
  elseif why_not(row.host) then
    result[#result + 1] = row.host
  else
    rows[#rows + 1] = row
  end
end
if #rows > 0 then
  write_executions(ARGV[2], KEYS[3], KEYS[4], rows)
end
return result
