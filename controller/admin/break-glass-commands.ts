import type { Command } from 'commander'
import { ApiError } from '../../shared/api/errors.ts'
import {
  endSessions,
  listUsers,
  makeOwner,
  resetSignIn,
  unlockAddress,
  unlockUser,
} from './break-glass.ts'
import { json, run, type OutputOptions } from './output.ts'

interface OfCompany extends OutputOptions {
  readonly company: string
}

/** Commands for when nobody who could is let in any more. */
export function registerBreakGlass(user: Command, company: Command): void {
  user
    .command('list')
    .description('Everybody of a company with state, roles and teams.')
    .requiredOption('--company <name>', 'the company')
    .option(...json)
    .action((options: OfCompany) => run(options, () => listUsers(options.company)))
  user
    .command('make-owner <email>')
    .description('Make a user of a company its owner, also one who was revoked.')
    .requiredOption('--company <name>', 'the company')
    .option(...json)
    .action((email: string, options: OfCompany) =>
      run(options, () => makeOwner(email, options.company)),
    )
  user
    .command('end-sessions <email>')
    .description('End all sessions of a user at once; keys stay.')
    .option(...json)
    .action((email: string, options: OutputOptions) => run(options, () => endSessions(email)))
  user
    .command('unlock [email]')
    .description('Let somebody who is locked out try to sign in again.')
    .option('--address <address>', 'an address that is locked out, with or without somebody')
    .option(...json)
    .action((email: string | undefined, options: OutputOptions & { address?: string }) =>
      run(options, () => unlock(email, options.address)),
    )
  company
    .command('reset-sign-in <name>')
    .description('Let everybody of a company sign in with the password alone again.')
    .option(...json)
    .action((name: string, options: OutputOptions) => run(options, () => resetSignIn(name)))
}

async function unlock(email: string | undefined, address: string | undefined) {
  if (email === undefined && address === undefined)
    throw new ApiError('invalid_body', 'Name an email address or --address.')
  return {
    ...(email === undefined ? {} : await unlockUser(email)),
    ...(address === undefined ? {} : await unlockAddress(address)),
  }
}
