#!lua
-- Resolves the target among the hosts that are alive now and writes the attack, its executions, the
-- outbox of each host and the due times, in one step. In preview it writes nothing.
-- KEYS 1 live hosts, 2 attacks, 3 active attacks, 4 this attack, 5 its executions, 6 due, 7 events,
--      8 idempotency record, 9 all hosts of the team, 10 who forbade new attacks
-- ARGV 1 request (JSON: preview, type, hosts {ids, tags}, containers {ids, labels}, draw {of, count,
--      percent}, random[], read_all, host_index, execution_ids[], start_within_ms, lost_after_ms, protect_key,
--      protect_value, spared_boot_ids[], host_prefix, outbox_prefix, open_prefix, execution_prefix, idempotency,
--      read_limit: hosts that are looked at at most, by_ms: when whoever asked gives up, on the clock of this server,
--      blocked: the same as KEYS 10, of the company)
--      2 attack id, then field/value pairs of the attack record
-- Returns {'ok', now, then for each execution: its id, host, container id, container name, the controller that holds the
--      host's session}
--       | {'missing', id, ...} (hosts or containers that were named and are not there)
--       | {'controller', host, ...} (hosts that were named and hold a controller)
--       | {'none', hosts that carry the tags, protected containers, hosts that hold a controller}
--       | {'few', number that match, number that was asked for}
--       | {'sweep'} (many leases are over: they have to be taken out of the index first)
--       | {'mend'} (the index does not hold what it should)
--       | {'more', number of execution ids and random numbers needed}
--       | {'large'} (more hosts to look at than one script may)
--       | {'repeated', attack id} | {'conflict'} (idempotency key seen with this or another body)
--       | {'blocked', JSON of who forbade it}
--       | {'late'} (by_ms has passed: nobody waits for the answer)
--       | {'preview', JSON: number drawn, rows, hosts that are out and why}
-- @include creation
-- The connection broke after this was written, and the command was sent once more.
if redis.call('EXISTS', KEYS[4]) == 1 then
  return { 'repeated', ARGV[2] }
end
local refused = refusal(KEYS[8], KEYS[10])
if refused then
  return refused
end
-- @include host-index
-- @include resolve-target
-- @include tag-groups
-- @include try-hosts
-- @include draw-hosts
-- @include write-attack
local answer, rows, without
if can_draw() then
  answer, rows, without = draw_hosts()
end
if not answer and not rows then
  answer, rows, without = resolve_target()
end
return answer or write_attack(rows, without)
