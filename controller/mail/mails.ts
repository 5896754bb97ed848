import type { Mail } from './mailer.ts'

/** Asks somebody to join a company. */
export function invitationMail(given: {
  readonly to: string
  readonly inviter: string
  readonly company: string
  readonly link: string
  readonly until: string
}): Mail {
  const { to, inviter, company, link, until } = given
  return {
    kind: 'invitation',
    to,
    subject: 'Invitation to Temblor',
    text: [
      `${inviter} invites you to the company "${company}" on Temblor.`,
      '',
      'To join, open this link. It is good once, and until',
      `${until}:`,
      '',
      link,
      '',
      'It is for you alone. If you did not expect it, ignore this mail.',
      '',
    ].join('\n'),
  }
}

/** Brings the code with which a user sets a new password. */
export function passwordResetMail(given: {
  readonly to: string
  readonly link: string
  readonly until: string
}): Mail {
  const { to, link, until } = given
  return {
    kind: 'password reset',
    to,
    subject: 'Your password for Temblor',
    text: [
      'Somebody, probably you, asked to set a new password for your user on Temblor.',
      '',
      'To set one, open this link. It is good once, and until',
      `${until}:`,
      '',
      link,
      '',
      'If it was not you, ignore this mail: your password stays as it is.',
      '',
    ].join('\n'),
  }
}
