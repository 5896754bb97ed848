#!lua
-- Looks at some hosts as create-attack would, for a target with too many of them for one script. Writes nothing.
-- KEYS 1 live hosts
-- ARGV 1 request of create-attack, then identifiers
-- Returns JSON: hosts {host, containers [{id, name}]} that are alive and carry the tags, and which hosts and containers
--      are out and why
-- @include creation
-- @include resolve-target
local hosts = {}
for i = 2, #ARGV do
  local reason = why_not(ARGV[i])
  if reason then
    out[#out + 1] = { host = ARGV[i], reason = reason }
  else
    local containers = {}
    for _, one in ipairs(given(request.containers) and matching_containers(ARGV[i]) or {}) do
      containers[#containers + 1] = { id = one.id, name = one.name }
    end
    hosts[#hosts + 1] = { host = ARGV[i], containers = containers }
  end
end
return cjson.encode({ hosts = hosts, out = out })
