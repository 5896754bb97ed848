import { expect, test } from 'vitest'
import type { AgentMessage__Output } from '../../proto/gen/temblor/agent/v1/AgentMessage.ts'
import { createInbox } from './inbox.ts'

const inventory = (name: string): AgentMessage__Output => ({
  inventory: { tags: { name }, containers: [], capabilities: [], limits: null, facts: null },
})
const goodbye = (reason: string): AgentMessage__Output => ({ bye: { reason } })

/** An inbox of which nothing is handled until it is opened, and what was handled. */
function shut() {
  const handled: string[] = []
  const opened = Promise.withResolvers<void>()
  const put = createInbox({
    async handle({ inventory: found, bye }) {
      await opened.promise
      handled.push(found?.tags['name'] ?? bye?.reason ?? '')
    },
    onFailure: (error) => expect.fail(String(error)),
    isOver: () => false,
    isGathered: () => false,
    isCrowded: () => false,
  })
  return { put, open: opened.resolve, handled }
}

test('of inventories only the newest waits', async () => {
  const { put, open, handled } = shut()
  for (let at = 0; at <= 200; at += 1) await put(inventory(`inventory ${at}`))
  await put(goodbye('bye'))
  open()
  await expect.poll(() => handled).toEqual(['inventory 0', 'inventory 200', 'bye'])
  await put(inventory('later'))
  await expect.poll(() => handled.at(-1)).toBe('later')
})

test('everything else waits, in its order', async () => {
  const { put, open, handled } = shut()
  const all = Array.from({ length: 200 }, (_, at) => `word ${at}`)
  for (const one of all) await put(goodbye(one))
  open()
  await expect.poll(() => handled).toEqual(all)
})
