/** What the audit tells of, with what each means. A route names its own; the rest is recorded where it happens. */
export const auditActions = {
  'session.login': 'Somebody signed in, or tried to.',
  'session.saml':
    'A SAML response came: roles as it claims them, `old` and `new`, or why it was refused.',
  'session.oauth':
    'An OAuth provider sent a browser back: whom it vouches for, or why that was refused.',
  'session.renew':
    'A session was renewed, or somebody tried to; `renew_token_reused` when that ended it.',
  'session.logout': 'A session was ended.',
  'session.end': 'A user ended other sessions of theirs, one or all.',
  'session.password': 'A user changed the own password, or tried to.',
  'session.password-code':
    'A code to set a new password was mailed to a user, or shown on the host of a controller.',
  'session.password-reset': 'A user set a new password with a code, or tried to.',
  'mfa.begin': 'Somebody asked for a second factor to set up.',
  'mfa.enrol': 'Somebody switched the own second factor on, or tried to.',
  'mfa.disable': 'Somebody switched the own second factor off, or tried to.',
  'mfa.force-disable': 'The second factor of a user was switched off by somebody else.',
  'mfa.recovery-code-used': 'A recovery code was used up in place of a code.',
  'access.refused':
    'A request for which the caller lacks the privilege; `target` is the operation.',
  'attack.create': 'An attack was asked for.',
  'attack.annotate': 'The notes of an attack were changed.',
  'attack.halt': 'An attack was halted.',
  'attack.halt-all': 'All attacks within reach were halted.',
  'attack.block': 'New attacks were forbidden in the company.',
  'attack.unblock': 'New attacks are allowed in the company again.',
  'host.enrol': 'An agent asked for a certificate with the secret of a team.',
  'host.join': 'A host was seen in a team for the first time, or another agent took its name.',
  'host.revoke': 'A host was cut off.',
  'host.activate': 'A host that was cut off may come back.',
  'key.create': 'A key of the API was made.',
  'key.revoke': 'A key was revoked.',
  'key.reinstate': 'A revoked key works again.',
  'key.expire': 'The moment at which a key expires was changed.',
  'company.create': 'A company was made.',
  'company.update': 'Preferences or default roles of a company were changed.',
  'company.preferences':
    'How people sign in to a company, or which keys there may be, was changed.',
  'company.domain':
    'The domains were changed whose people may join a company by the public provider.',
  'company.oauth': 'The OAuth provider of a company was set.',
  'company.saml': 'The SAML identity provider of a company was set.',
  'company.saml-alias':
    'A value of role claims was made to stand for roles, for others or for none.',
  'company.sso-test': 'A sign-in that only tries the provider was begun.',
  'team.create': 'A team was made.',
  'team.update': 'A team was renamed.',
  'team.delete': 'A team was deleted.',
  'team.secret': 'The secret with which hosts join a team was replaced or shown.',
  'team.add-users': 'Users of the company were added to a team.',
  'user.create':
    "A user was made or given a place in a company on the controller's host, or as the first owner by its code.",
  'user.update': 'A user changed facts of the own user, such as the name.',
  'user.roles': 'Roles of a user were changed, in a team or in the company.',
  'user.remove': 'A user was taken out of a team.',
  'user.unlock':
    "Somebody or an address that was locked out may try again, on the controller's host.",
  'user.end-sessions': "All sessions of a user were ended, on the controller's host.",
  'user.revoke': 'The access of a user to the company was ended.',
  'user.reactivate': 'A revoked user was given the access back.',
  'invitation.create': 'Somebody was invited.',
  'invitation.withdraw': 'An invitation was withdrawn.',
  'invitation.accept': 'An invitation was accepted, or somebody tried to.',
  'audit.cut': 'Entries older than the audit is kept were removed; it names the last of them.',
  'audit.export': 'The audit was exported.',
  'sealing-key.rotate': 'The key that seals secrets was changed, or a step of that taken.',
} as const

export type AuditAction = keyof typeof auditActions

/** True for what is about getting in, as reports of access have it. */
export function isAccess(action: string): boolean {
  return action.startsWith('session.') || action === 'access.refused'
}
