import { describe, expect, test } from 'vitest'
import { googleIssuer, identityOf, publicIdentityOf, roleClaimsOf } from './identity.ts'

const by = (userInfo: Record<string, unknown>, idToken?: Record<string, unknown>) => ({
  userInfo,
  idToken,
})

describe('the provider of a company', () => {
  test.each([
    ['email', { email: 'Ann@Example.com' }],
    ['sub', { sub: 'ann@example.com' }],
    ['sub before email', { sub: 'ann@example.com', email: 'bob@example.com' }],
    ['sub, whatever is said of email', { sub: 'ann@example.com', email_verified: false }],
    ['email, where sub is another name', { sub: '1234', email: 'ann@example.com' }],
    ['email, where sub is no text', { sub: 7, email: 'ann@example.com' }],
    ['verified', { email: 'ann@example.com', email_verified: true }],
  ])('%s', (_, userInfo) => {
    expect(identityOf(by(userInfo))).toBe('ann@example.com')
  })

  test('email of the ID token where userInfoUri has none', () => {
    expect(identityOf(by({ sub: 'x' }, { sub: 'x', email: 'ann@example.com' }))).toBe(
      'ann@example.com',
    )
  })

  test.each([
    ['nothing', {}],
    ['no address', { sub: 'ann', email: 'example.com' }],
    ['a list', { email: ['ann@example.com'] }],
    ['an object', { sub: { toString: 'x' } }],
    ['two addresses', { email: 'ann@example.com,bob@example.com' }],
    ['a line end', { email: 'ann@example.com\n' }],
    ['blanks', { email: ' ann@example.com' }],
    ['a letter that becomes another in lower case', { email: 'ann@\u212Aorp.com' }],
    ['not verified', { email: 'ann@example.com', email_verified: false }],
    ['not verified, as text', { email: 'ann@example.com', email_verified: 'false' }],
    ['too long', { email: `${'a'.repeat(65)}@example.com` }],
  ])('nobody: %s', (_, userInfo) => {
    expect(() => identityOf(by(userInfo))).toThrow(/email|verified/)
  })

  test('what the ID token says of its address vouches for no other', () => {
    const idToken = { sub: 'x', email: 'ann@example.com', email_verified: true, hd: 'example.com' }
    const said = by({ sub: 'x', email: 'eve@example.com' }, idToken)
    expect(() => publicIdentityOf(said, googleIssuer)).toThrow(/verified/)
  })
})

describe('the public provider', () => {
  const verified = { email_verified: true }
  const google = (claims: object) => publicIdentityOf(by({ ...verified, ...claims }), googleIssuer)

  test('an account of a domain, and one of Gmail', () => {
    expect(google({ email: 'Ann@Corp.example', hd: 'corp.example' })).toEqual({
      email: 'ann@corp.example',
      domain: 'corp.example',
    })
    expect(google({ email: 'ann@gmail.com' })).toEqual({
      email: 'ann@gmail.com',
      domain: undefined,
    })
  })

  test.each([
    ['an account of Google with an address of a company', { email: 'ann@corp.example' }],
    ['of another domain', { email: 'ann@corp.example', hd: 'evil.example' }],
    ['hd is a list', { email: 'ann@corp.example', hd: ['corp.example'] }],
    ['not verified', { email: 'ann@gmail.com', email_verified: false }],
    ['not said', { email: 'ann@gmail.com', email_verified: undefined }],
    ['sub does not count', { sub: 'ann@gmail.com' }],
  ])('nobody: %s', (_, claims) => {
    expect(() => google(claims)).toThrow(/Gmail|verified|not an email/)
  })

  test('another issuer says of which domain an address is by the address', () => {
    const said = by({ ...verified, email: 'ann@corp.example' })
    expect(publicIdentityOf(said, 'https://idp.example')).toEqual({
      email: 'ann@corp.example',
      domain: 'corp.example',
    })
  })
})

test('claims of userInfoUri come before those of the ID token', () => {
  expect(
    roleClaimsOf(
      by(
        { company_roles: ['COMPANY_USER'] },
        { company_roles: ['COMPANY_OWNER'], team_roles: ['A;TEAM_USER'] },
      ),
    ),
  ).toEqual({ companyRoles: ['COMPANY_USER'], teams: [{ team: 'A', roles: ['TEAM_USER'] }] })
  expect(roleClaimsOf(by({}))).toBeUndefined()
})
