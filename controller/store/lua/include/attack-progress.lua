-- What follows from a move of an execution for its attack and for whoever watches.

-- Writes the move to the team's events, from which watchers resume by id.
local function announce(events, attack_id, execution_id, stage, now)
  redis.call('XADD', events, 'MAXLEN', '~', 10000, '*', 'attack', attack_id,
    'execution', execution_id, 'stage', stage, 'at', now)
end

-- One execution less: the attack is over with its last one.
local function execution_over(active_attacks, attack_key, attack_id)
  if redis.call('HINCRBY', attack_key, 'open', -1) <= 0 then
    redis.call('ZREM', active_attacks, attack_id)
    local time = redis.call('TIME')
    redis.call('HSET', attack_key, 'ended_ms', time[1] * 1000 + math.floor(time[2] / 1000))
  end
end
