/** Whoever adds one must say here that nobody has to sign in for it. */
export const publicOperations = [
  'acceptInvitation',
  'beginSamlLogin',
  'consumeSamlResponse',
  'disableMfa',
  'enableMfa',
  'login',
  'openSamlSession',
  'readHealth',
  'readOpenApi',
  'readSamlMetadata',
  'renewOrgSession',
  'renewSession',
  'requestPasswordReset',
  'resetPassword',
  'signInWithCode',
  'validateMfa',
]
