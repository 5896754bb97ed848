import type { Lab, LabAgent } from './network-lab.ts'

/** Longer than any measurement; an attack that nobody halts is over then. */
const lengthSeconds = 120
/** Every packet that is under way, so that netem by itself loses none either. */
const queueLimit = '100000'

/** A way to delay what passes between the near namespace and the chosen address of the far one. */
export interface Way {
  readonly name: string
  /** Does something while packets are delayed; 0 ms is without anything. */
  during<T>(delayMs: number, act: () => Promise<T>): Promise<T>
}

/** A latency attack. */
export function byAttack(lab: Lab, agent: LabAgent): Way {
  return {
    name: 'temblor',
    async during(delayMs, act) {
      if (delayMs === 0) return act()
      const args = ['-l', String(lengthSeconds), '-m', String(delayMs), '-i', lab.pair.chosen]
      await agent.ask({ attack: 'latency', args })
      try {
        return await act()
      } finally {
        await agent.ask({ halt: true })
      }
    },
  }
}

/** `tc qdisc add dev eth0 root netem delay`, and nothing else. */
export function byBareNetem(lab: Lab): Way {
  const device = ['dev', 'eth0', 'root', 'netem']
  return {
    name: 'bare netem',
    async during(delayMs, act) {
      if (delayMs === 0) return act()
      const netem = [...device, 'delay', `${delayMs}ms`, 'limit', queueLimit]
      await lab.exec('near', 'tc', 'qdisc', 'add', ...netem)
      try {
        return await act()
      } finally {
        await lab.exec('near', 'tc', 'qdisc', 'delete', ...device)
      }
    },
  }
}
