import { describe, expect, it } from 'vitest'
import { attributeOffset, readAnswer } from './netlink.ts'
import {
  acceptUpTo,
  addQueueRule,
  bindQueue,
  idBeyond,
  openQueue,
  packetId,
  setLastId,
} from './queue-messages.ts'

const hex = (...parts: string[]) => parts.join('').replaceAll(' ', '')
const view = (text: string) => {
  const bytes = Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'))
  return new DataView(bytes.buffer)
}

describe('messages to the kernel', () => {
  it('bind a queue and set it up in one go', () => {
    expect(bindQueue(7, 100_000, 1).toString('hex')).toBe(
      hex(
        '40000000 0203 0500 01000000 00000000 00 00 0007',
        '0800 0100 01 00 0000',
        '0900 0200 00000000 01 000000',
        '0800 0300 000186a0',
        '0800 0400 00000004',
        '0800 0500 00000004',
      ),
    )
  })

  it('open a queue: room for none, and what finds no room passes', () => {
    expect(openQueue(65_535, 3).toString('hex')).toBe(
      hex(
        '2c000000 0203 0500 03000000 00000000 00 00 ffff',
        '0800 0300 00000000',
        '0800 0400 00000001',
        '0800 0500 00000001',
      ),
    )
  })

  it('accept all packets up to one, and up to another', () => {
    const accept = acceptUpTo(7, 258)
    const head = hex('20000000 0303 0100 00000000 00000000 00 00 0007', '0c00 0200 00000001')
    expect(accept.toString('hex')).toBe(`${head}00000102`)
    setLastId(accept, 0xffffffff)
    expect(accept.toString('hex')).toBe(`${head}ffffffff`)
  })

  it('add one rule in a transaction', () => {
    expect(addQueueRule({ table: 'tab', chain: 'ch' }, 7, 2).toString('hex')).toBe(
      hex(
        '14000000 1000 0100 01000000 00000000 00 00 000a',
        '70000000 060a 050c 02000000 00000000 01 00 0000',
        '0800 0100 74616200',
        '0700 0200 636800 00',
        '4c00 0480',
        '1400 0180 0c00 0100 636f756e74657200 0400 0280',
        '3400 0180 0b00 0100 74617267657400 00',
        '2400 0280 0c00 0100 4e46515545554500 0800 0200 00000003 0c00 0300 0700 0100 0100 0000',
        '14000000 1100 0100 03000000 00000000 00 00 000a',
      ),
    )
  })

  it('name an id beyond all that are held, also where ids wrap', () => {
    expect(idBeyond(5)).toBe(2 ** 30 + 5)
    expect(idBeyond(0xffffffff)).toBe(2 ** 30 - 1)
  })
})

describe('messages of the kernel', () => {
  const packet = view(
    '28000000 0003 0000 00000000 00000000 02 00 0007 0800 0500 00000003 0b00 0100 fffffffe 0800 00 00',
  )

  it('tell the id of a packet, wherever its attribute stands', () => {
    expect(packetId(packet)).toBe(0xfffffffe)
    expect(readAnswer(packet)).toBeUndefined()
    expect(attributeOffset(packet, 9)).toBe(-1)
  })

  it('tell whether a request was done', () => {
    const refusal = view('24000000 0200 0001 02000000 00000000 feffffff')
    expect(readAnswer(refusal)).toEqual({ sequence: 2, errno: 2 })
    expect(packetId(refusal)).toBeUndefined()
  })

  it('are not read beyond their end when an attribute is broken', () => {
    expect(packetId(view('1c000000 0003 0000 00000000 00000000 02000007 0000 0500 00000003'))).toBe(
      undefined,
    )
  })
})
