import { expect, test } from 'vitest'
import { main } from '../../agent/cli/main.ts'
import { fakeIo } from '../../agent/cli/output/fake-io.ts'
import { newEmail, startTestController } from '../support/in-process.ts'

test('temblor key makes a key that TEMBLOR_API_KEY uses, and looks after it', async () => {
  await using controller = await startTestController()
  const company = await controller.store.companies.addCompany('Acme')
  const team = await controller.store.companies.addTeam(company, 'First')
  const ann = { email: newEmail('ann'), teams: { [team.id]: ['TEAM_USER'] } as const }
  const { session } = await controller.join(company, ann)
  const common = { TEMBLOR_URL: controller.baseUrl, HOME: '/nonexistent' }
  const run = async (args: string[], secret: Record<string, string>) => {
    const io = fakeIo({ ...common, ...secret })
    return {
      code: await main(args, io),
      out: io.out.flatMap((text) => text.split('\n')),
      err: io.err.join('\n'),
    }
  }
  const signedIn = { TEMBLOR_TOKEN: session.token }
  const made = await run(['key', 'create', 'ci', '--expires', '90d', '--team', 'first'], signedIn)
  expect(made).toMatchObject({ code: 0, out: [expect.stringMatching(/^[0-9a-f]{64}$/)] })
  const withKey = { TEMBLOR_API_KEY: made.out[0] ?? '' }
  expect((await run(['whoami'], withKey)).out[0]).toContain(ann.email)
  expect((await run(['key', 'list'], withKey)).out[1]).toMatch(/^ci .* ACTIVE .*Z /)
  expect((await run(['key', 'revoke', 'ci'], signedIn)).code).toBe(0)
  expect((await run(['whoami'], withKey)).code).toBe(4)
  expect((await run(['key', 'reinstate', 'ci'], signedIn)).code).toBe(0)
  expect((await run(['key', 'expire', 'ci', 'never'], signedIn)).code).toBe(0)
  expect((await run(['key', 'list'], withKey)).out[1]).toContain('never')
  const wrong = await run(['key', 'create', 'x', '--expires', 'soon'], signedIn)
  expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('--expires') })
})
