import { ApiError } from '../../shared/api/errors.ts'

/** How names of companies and teams are compared: not by case, nor by the spaces around them. */
export function nameKey(name: string): string {
  return name.trim().normalize('NFC').toLowerCase()
}

/**
 * The name as it is kept. `|`, `;` and `,` separate fields in SAML RelayState and in role claims, so names
 * never hold them; nor does a name look like an id, by which teams are found as well.
 * @throws ApiError `invalid_body`
 */
export function checkName(what: string, name: string): string {
  const bad = /[|;,\p{Cc}]/u.test(name) || looksLikeId.test(name.trim())
  if (bad || name.trim() === '' || name.length > 100)
    throw new ApiError(
      'invalid_body',
      `The ${what} name "${name.slice(0, 120)}" is not allowed. Allowed: 1 to 100 characters, none of | ; , no control characters, not an id.`,
      { details: { field: 'name', value: name.slice(0, 120) } },
    )
  return name.trim()
}

const looksLikeId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export function nameTaken(what: string, name: string): ApiError {
  return new ApiError('name_taken', `There is a ${what} named "${name}" already. Take another.`, {
    details: { field: 'name', value: name },
  })
}
