import { ApiError } from '../../shared/api/errors.ts'
import { checkName } from '../store/names.ts'
import type { Store } from '../store/store.ts'
import { findTeamIn } from '../store/teams.ts'
import { checkEmail } from '../store/users.ts'
import type { LockOut } from './lock-out.ts'
import type { Passwords } from './password.ts'
import type { Seal } from './seal.ts'

export interface SetupDeps {
  readonly store: Store
  readonly seal: Seal
  readonly passwords: Passwords
  readonly lockOut: LockOut
}

/** Who is to be the first owner, and of what. */
export interface FirstOwnerRequest {
  readonly code: string
  readonly company: string
  readonly team: string
  readonly email: string
  readonly password: string
  readonly address: string
}

/** Making the first owner of an installation without a command on its host. */
export interface Setup {
  isNeeded(): Promise<boolean>
  /** What only somebody knows who reads the log: the same for all controllers with this key file and storage. */
  code(): Promise<string>
  /** Gives the id of the company. @throws ApiError `invalid_credentials`, `already_set_up`, `invalid_body`, `locked_out` */
  make(given: FirstOwnerRequest): Promise<string>
}

/** Makes the service of the first owner. */
export function createSetup(deps: SetupDeps): Setup {
  const { store, seal, lockOut } = deps
  const code = async () => seal.deriveToken('first owner', await store.setup.salt())
  return {
    isNeeded: () => store.setup.isEmpty(),
    code,
    make: (given) =>
      lockOut.guard(given, async () => {
        // Hashes with a key take the same time to compare whatever they differ in.
        if (seal.hashToken(given.code.trim()) !== seal.hashToken(await code()))
          throw new ApiError(
            'invalid_credentials',
            'This is not the code of this installation. It is in the log of the controller, from its last start.',
          )
        if (!(await store.setup.isEmpty())) throw alreadySetUp()
        const names = {
          company: checkName('company', given.company),
          team: checkName('team', given.team),
          email: checkEmail(given.email),
        }
        const passwordHash = await deps.passwords.hash(given.password)
        const made = await store.setup.alone(() => makeOwner(store, names, passwordHash))
        if (made === undefined) throw alreadySetUp()
        return made
      }),
  }
}

/** What was made by a request that was cut off is used. */
async function makeOwner(
  store: Store,
  names: { readonly company: string; readonly team: string; readonly email: string },
  passwordHash: string,
): Promise<string | undefined> {
  if (!(await store.setup.isEmpty())) return undefined
  const { companies, users } = store
  const company =
    (await companies.findCompany(names.company)) ?? (await companies.addCompany(names.company))
  const teams = await companies.listTeams(company.id)
  const team = findTeamIn(teams, names.team) ?? (await companies.addTeam(company, names.team))
  const owner = await users.add(names.email, passwordHash)
  await companies.writeMembership(company.id, owner.id, {
    roles: ['COMPANY_OWNER'],
    teams: { [team.id]: ['TEAM_MANAGER'] },
  })
  return company.id
}

function alreadySetUp(): ApiError {
  return new ApiError(
    'already_set_up',
    'This installation has its first owner. Sign in, or ask somebody of your company to invite you.',
  )
}
