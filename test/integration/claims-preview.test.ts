import { afterAll, beforeAll, expect, test } from 'vitest'
import { applyClaims, previewClaims } from '../../controller/auth/apply-claims.ts'
import { readAttributeClaims } from '../../controller/auth/claims.ts'
import { newEmail, startTestController, type TestController } from '../support/in-process.ts'

let controller: TestController
beforeAll(async () => {
  controller = await startTestController()
})
afterAll(() => controller?.[Symbol.asyncDispose]())

const claiming = (...values: string[]) => ({
  areRequired: false,
  read: () =>
    values.length > 0 ? readAttributeClaims([{ name: 'company:roles', values }]) : undefined,
})

test.each([
  ['new, with claims', false, ['COMPANY_OWNER']],
  ['new, without', false, []],
  ['known, with claims', true, ['COMPANY_USER', 'COMPANY_MANAGER']],
  ['known, without', true, []],
] as const)(
  'what a sign-in would change is told and not done: a user who is %s',
  async (_, isKnown, roles) => {
    const { store } = controller
    const company = await store.companies.addCompany(newEmail('Preview'))
    const email = newEmail('previewed')
    if (isKnown) await controller.add(company.id, { email, roles: ['COMPANY_ADMIN'] })
    const members = () => store.members.list(company.id)
    const before = await members()
    const told = await previewClaims(store, company, email, claiming(...roles))
    expect(await members()).toEqual(before)
    expect((await store.users.findByEmail(email)) !== undefined).toBe(isKnown)
    expect(await applyClaims(store, company, email, claiming(...roles))).toEqual(told)
    const fallback = isKnown ? ['COMPANY_ADMIN'] : ['COMPANY_USER']
    expect(told.after.roles).toEqual(roles.length > 0 ? roles : fallback)
  },
)
