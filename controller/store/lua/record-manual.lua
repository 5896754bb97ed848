#!lua
-- Records an attack that runs already because somebody started it on its host, once. What is known, an attack of the
-- controller above all, is not written anew: a host may know its id and be somebody's who means it ill.
-- KEYS 1 attack, 2 attacks, 3 active attacks, 4 executions of the attack, 5 execution, 6 open executions of the host, 7 due
-- ARGV 1 attack id, 2 execution id, 3 when it began, ms, 4 when it counts as lost, ms, 5 fields of the attack and
--      6 of the execution, each a JSON list of field/value pairs
-- Returns 1, or 0 when the attack or the execution was there before
if redis.call('EXISTS', KEYS[1], KEYS[4], KEYS[5]) > 0 then
  return 0
end
redis.call('HSET', KEYS[1], unpack(cjson.decode(ARGV[5])))
redis.call('HSET', KEYS[5], unpack(cjson.decode(ARGV[6])))
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
redis.call('ZADD', KEYS[3], ARGV[3], ARGV[1])
redis.call('RPUSH', KEYS[4], ARGV[2])
redis.call('SADD', KEYS[6], ARGV[2])
redis.call('ZADD', KEYS[7], ARGV[4], ARGV[2])
return 1
