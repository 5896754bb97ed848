import { expect, test } from 'vitest'
import { readProviderSettings } from './settings.ts'

const read = (env: Record<string, string>) => {
  const faults: string[] = []
  return { ...readProviderSettings(env, faults), faults }
}
const client = { TEMBLOR_OIDC_CLIENT_ID: 'id', TEMBLOR_OIDC_CLIENT_SECRET: 'secret' }
const google = 'https://accounts.google.com'

test('there is no public provider unless it is set, and Google unless another is', () => {
  expect(read({})).toEqual({ publicProvider: undefined, localProviders: undefined, faults: [] })
  expect(read(client)).toMatchObject({
    publicProvider: { issuer: google, clientId: 'id', clientSecret: 'secret' },
    faults: [],
  })
  expect(read({ ...client, TEMBLOR_OIDC_ISSUER: 'https://idp.example' })).toMatchObject({
    publicProvider: { issuer: 'https://idp.example' },
    faults: [],
  })
})

test.each([
  [{ TEMBLOR_OIDC_CLIENT_ID: 'id' }, 'TEMBLOR_OIDC_CLIENT_SECRET'],
  [{ TEMBLOR_OIDC_CLIENT_SECRET: 'secret' }, 'TEMBLOR_OIDC_CLIENT_ID'],
  [{ TEMBLOR_OIDC_ISSUER: google }, 'TEMBLOR_OIDC_CLIENT_ID'],
  [{ ...client, TEMBLOR_OIDC_ISSUER: 'http://idp.example' }, 'http://idp.example'],
  [{ ...client, TEMBLOR_OIDC_ISSUER: 'google' }, '"google"'],
  [{ TEMBLOR_LOCAL_PROVIDERS: 'perhaps' }, '"perhaps". Allowed: yes, no'],
])('%o is refused', (env, text) => {
  const { faults } = read(env)
  expect(faults).toHaveLength(1)
  expect(faults[0]).toContain(text)
  expect(faults[0]).not.toContain('"secret"')
})

test.each([
  ['yes', true],
  ['no', false],
  ['', undefined],
])('TEMBLOR_LOCAL_PROVIDERS=%s', (text, expected) => {
  expect(read({ TEMBLOR_LOCAL_PROVIDERS: text }).localProviders).toBe(expected)
})
