import { expect, test } from 'vitest'
import { safeReturn } from './return-path.ts'

test.each(['/attacks', '/attacks?state=active&team=1', '/clients#x', '/sign-in-log'])(
  '%s is a place of this site',
  (path) => expect(safeReturn(path)).toBe(path),
)

test.each([
  undefined,
  '',
  'attacks',
  '//evil.example',
  String.raw`/\evil.example`,
  'https://evil.example',
  'javascript:alert(1)',
  '/\n/evil.example',
  '/sign-in?return=%2Fattacks',
  '/users/sso/saml/acs?SamlSessionCode=x',
  '/invitation',
  '/password-reset#code=x',
  '/forgot-password',
])('%s leads to the first page', (path) => expect(safeReturn(path)).toBe('/'))
