import { registerHooks } from 'node:module'
import { fences } from './fences.ts'

/**
 * Loaded before an agent's own code. The agent is the real one, from its sources; only what it does to
 * its host is replaced by something that many agents can do on one machine, and that is seen from
 * outside. `TEMBLOR_CHAOS_WITHOUT` names a fence that is cut out of the sources while they are loaded:
 * the checker must find out.
 */
const faults = new URL('witnessed-faults.ts', import.meta.url).href
const without = fences[process.env['TEMBLOR_CHAOS_WITHOUT'] ?? ''] ?? []

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    return found.url.endsWith('/agent/faults/index.ts') ? { ...found, url: faults } : found
  },
  load(url, context, next) {
    const loaded = next(url, context)
    const fence = without.find(({ file }) => url.endsWith(file))
    if (!fence) return loaded
    const source = Buffer.from(loaded.source as Uint8Array).toString()
    if (!source.includes(fence.code)) throw new Error(`${url} has no such fence any more.`)
    return { ...loaded, source: source.replaceAll(fence.code, fence.instead) }
  },
})
