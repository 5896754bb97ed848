import { describe, expect, it } from 'vitest'
import { canLoad, isPlain } from './kernel-modules.ts'

const [here, there] = [process.execPath, `${import.meta.dirname}/ifb.ko`]

describe('whether a module can be loaded', () => {
  it.each([
    ['a file that is there', `insmod ${here} numifbs=0 \n`, true],
    ['several', `insmod ${here} \ninsmod ${here} \n`, true],
    ['a file that is missing', `insmod ${there} \n`, false],
    ['one that needs a missing one', `insmod ${there} \ninsmod ${here} \n`, false],
    ['a command in its place', 'install /bin/false numifbs=0 \n', false],
    ['what is built in, which may still not work', 'builtin ifb\n', false],
    ['nothing', '', false],
  ])('is told from what modprobe would do: %s', (_, steps, expected) => {
    expect(isPlain(steps)).toBe(expected)
  })

  it('is not when there is none, or no modprobe', async () => {
    expect(await canLoad('temblor_none')).toBe(false)
  })
})
