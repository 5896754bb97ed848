import { fileURLToPath } from 'node:url'
import { loadSync } from '@grpc/proto-loader'
import { expect, test } from 'vitest'
import { firstProtocol } from '../support/first-protocol.ts'

interface Field {
  readonly name: string
  readonly number: number
  readonly label: string
  readonly type: string
  readonly typeName: string
}

const present = loadSync(
  fileURLToPath(new URL('../../proto/temblor/agent/v1/agent.proto', import.meta.url)),
  { longs: Number, defaults: true, oneofs: true },
)

/** The fields of a message in a protocol. */
function fieldsOf(protocol: typeof present, name: string): Field[] {
  const { type } = (protocol[name] ?? {}) as { type?: { field?: Field[] } }
  return (type?.field ?? []).map(({ name: field, number, label, type: kind, typeName }) => ({
    name: field,
    number,
    label,
    type: kind,
    typeName,
  }))
}

const messages = Object.keys(firstProtocol).filter(
  (name) => fieldsOf(firstProtocol, name).length > 0,
)

test('the first protocol has messages to compare', () => {
  expect(messages).toContain('temblor.agent.v1.Hello')
  expect(messages.length).toBeGreaterThan(20)
})

/** What is added may be absent: an older side neither sends nor reads it. */
test.each(messages)('%s still has every field that it had, as it was', (name) => {
  expect(fieldsOf(present, name)).toEqual(expect.arrayContaining(fieldsOf(firstProtocol, name)))
})
