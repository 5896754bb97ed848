/** A piece of code without which an attack is doubled, comes back or is misjudged. */
interface Fence {
  readonly file: string
  readonly code: string
  readonly instead: string
}

/** What can be cut out, to see that a run finds it. */
export const fences: Readonly<Record<string, readonly Fence[]>> = {
  'duplicate-check': [
    {
      file: '/agent/executor.ts',
      code: 'if (known && known.generation >= order.generation) return this.#answer(known)',
      instead: 'void known',
    },
    // As controllers did that sent what stood in the outbox with each heartbeat; those of today hardly ever say it twice.
    {
      file: '/controller/agents/session.ts',
      code: 'if (!message || !this.sent.add(order.executionId, order.generation)) return',
      instead: 'if (!message) return',
    },
    // And as those did that were told only that orders wait, and read them all.
    {
      file: '/controller/agents/elsewhere.ts',
      code: '...(orders.length <= toldLimit ? { orders } : {}),',
      instead: '',
    },
  ],
  'session-fence': [
    {
      file: '/controller/store/redis.ts',
      code: "return readFileSync(new URL(`lua/${path}.lua`, import.meta.url), 'utf8')",
      instead:
        "return readFileSync(new URL(`lua/${path}.lua`, import.meta.url), 'utf8').replace(\"redis.call('HGET', host, 'epoch') ~= epoch\", 'false')",
    },
  ],
  'hello-order': [
    {
      file: '/controller/store/redis.ts',
      code: "return readFileSync(new URL(`lua/${path}.lua`, import.meta.url), 'utf8')",
      instead:
        "return readFileSync(new URL(`lua/${path}.lua`, import.meta.url), 'utf8').replace('latest > tonumber(ARGV[4])', 'false')",
    },
  ],
  'dead-man': [
    {
      file: '/agent/controller-link.ts',
      code: 'void deps.executor.endAll(',
      instead: 'void (',
    },
  ],
}
