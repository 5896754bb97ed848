-- What the scripts that create attacks have in common. Needs the request as ARGV 1.
local request = cjson.decode(ARGV[1])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local null = cjson.null

local function given(value)
  return value ~= nil and value ~= null
end

-- The answer to a request that was made before or may not be made now; else nil.
local function refusal(idempotency_key, block_key)
  if given(request.by_ms) and now > request.by_ms then
    return { 'late' }
  end
  local seen = given(request.idempotency) and redis.call('GET', idempotency_key)
  if seen then
    local id, body = string.match(seen, '^(%S+) (%S+)$')
    return body == request.idempotency and { 'repeated', id } or { 'conflict' }
  end
  local blocked = given(request.blocked) and request.blocked or redis.call('GET', block_key)
  if blocked and not request.preview then
    return { 'blocked', blocked }
  end
end
