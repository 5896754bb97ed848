#!lua
-- The clock of the node that keeps a key, ms.
-- KEYS 1 the key; it need not be there
local time = redis.call('TIME')
return time[1] * 1000 + math.floor(time[2] / 1000)
