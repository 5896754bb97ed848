import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { request, type Answer } from '../support/http.ts'
import { newEmail } from '../support/in-process.ts'
import { addOAuthCompany, type OAuthCompany } from '../support/oauth-company.ts'
import { rigScope, startOAuthRig, type OAuthRig } from '../support/oauth-rig.ts'
import { problem } from '../support/problem.ts'

/** What is claimed, and where nobody may come in; each has an untouched twin that does. */

let rig: OAuthRig
let one: OAuthCompany

beforeAll(async () => {
  rig = await startOAuthRig()
  ;({ one } = rig)
})
afterAll(() => rig?.[Symbol.asyncDispose]())

const prefs = (json: object) =>
  one.admin.send('POST', `/companies/${one.company.id}/auth/prefs`, { json })

const told = (answer: Answer) => ({
  status: answer.status,
  text: answer.text.replace(/"requestId":"[^"]+"/, ''),
  headers: [...answer.headers.keys()],
})

test('21: a company that there is not, and one that signs in otherwise, look the same', async () => {
  const other = await rig.controller.store.companies.addCompany(newEmail('Other'))
  const asks = [
    (name: string) =>
      request(
        rig.controller.baseUrl,
        'GET',
        `/v1/oauth/login?companyName=${encodeURIComponent(name)}`,
      ),
    (name: string) => one.sso('nonsense', { companyName: name }),
  ]
  for (const ask of asks) {
    const [unknown, closed] = [await ask(newEmail('nobody')), await ask(other.name)]
    expect(told(unknown)).toEqual(told(closed))
    expect(unknown.status).toBe(401)
  }
})

describe('23: claims that cannot be meant', () => {
  test.each([
    ['a role that there is not', { company_roles: ['COMPANY_GOD'] }],
    ['lower case', { company_roles: ['company_owner'] }],
    ['a role of teams', { company_roles: ['TEAM_MANAGER'] }],
    ['two in one', { company_roles: ['COMPANY_USER,COMPANY_OWNER'] }],
    ['one good and one not', { company_roles: ['COMPANY_OWNER', ''] }],
    ['no list', { company_roles: 'COMPANY_OWNER' }],
    ['a list of something else', { company_roles: [{ role: 'COMPANY_OWNER' }] }],
    ['nothing', { company_roles: null }],
    ['a team that there is not', { team_roles: ['Nowhere;TEAM_USER'] }],
    ['a team twice', { team_roles: ['Payments;TEAM_USER', 'payments;TEAM_MANAGER'] }],
    ['a team without a role', { team_roles: ['Payments'] }],
    ['a team with a role of companies', { team_roles: ['Payments;COMPANY_OWNER'] }],
    ['two teams in one', { team_roles: ['Payments;TEAM_USER;Payments;TEAM_MANAGER'] }],
    ['good teams, bad roles', { company_roles: ['X'], team_roles: ['Payments;TEAM_USER'] }],
  ])('%s', async (_, claims) => {
    const { login, email } = rig.person(claims)
    const { begun, back } = await one.sent(login)
    await rig.refused('claims', email, () => one.comeBack(back, begun.state))
    expect((await one.failures())[0]).toMatchObject({ email })
    rig.provider.people.set(login, {
      email,
      company_roles: ['COMPANY_USER'],
      team_roles: ['Payments;TEAM_USER'],
    })
    expect((await one.enter(login)).session.identifier).toBe(email)
    expect(await one.placeOf(email)).toEqual({
      roles: ['COMPANY_USER'],
      teams: { [one.team.id]: ['TEAM_USER'] },
    })
  })

  test('none at all, where the company requires them', async () => {
    await prefs({ claimsRequired: true })
    const { login, email } = rig.person()
    const { begun, back } = await one.sent(login)
    await rig.refused('claims', email, () => one.comeBack(back, begun.state))
    await prefs({ claimsRequired: false })
    expect((await one.enter(login)).session.identifier).toBe(email)
  })
})

test('25: a claim may take the place of the last owner', async () => {
  const three = await addOAuthCompany(rig.controller, 'Three', {
    issuer: rig.provider.issuer,
    scope: rigScope,
  })
  const email = three.admin.session.identifier
  rig.provider.people.set('owner', { email, company_roles: ['COMPANY_USER'] })
  await three.enter('owner')
  expect(await three.placeOf(email)).toEqual({ roles: ['COMPANY_USER'], teams: {} })
})

test('who was revoked does not come back', async () => {
  const { login, email } = rig.person()
  expect((await one.enter(login)).session.identifier).toBe(email)
  await one.admin.send('DELETE', `/companies/${one.company.id}/users/${email}/active`)
  const { begun, back } = await one.sent(login)
  await rig.refused('access', email, () => one.comeBack(back, begun.state))
})

describe('29: switched off', () => {
  test.each([
    ['oauthEnabled', { oauthEnabled: false }, { oauthEnabled: true }],
    ['by SAML alone', { samlForced: true }, { samlForced: false }],
  ] as const)('%s: at every step', async (_, off, on) => {
    const { login, email } = rig.person()
    const waiting = await one.sent(login)
    const token = await one.token(login)
    const put = (change: object) =>
      rig.controller.store.authPreferences.change(one.company.id, (now) => ({ ...now, ...change }))
    await put(off)
    await expect(one.begin()).rejects.toThrow('sso_refused')
    await rig.refused('settings', email, () => one.comeBack(waiting.back, waiting.begun.state))
    expect(problem(await one.sso(token)).code).toBe('sso_refused')
    expect((await one.failures())[0]).toMatchObject({ check: 'settings', email })
    expect(await rig.controller.store.users.findByEmail(email)).toBeUndefined()
    await put(on)
    expect((await one.enter(login)).session.identifier).toBe(email)
  })
})
