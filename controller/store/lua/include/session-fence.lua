-- The fence: a session of a host ends for all controllers when the next one opens, and what it says late changes nothing.

-- Whether this session is not the host's own any more. '' stands for the controllers, which have none.
local function is_outdated(host, epoch)
  return epoch ~= '' and redis.call('HGET', host, 'epoch') ~= epoch
end
