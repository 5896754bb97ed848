import { generateSecret, generateURI, verifySync } from 'otplib'

/** What authenticator apps show beside the address. */
const issuer = 'Temblor'
/** A code is good in its own 30 s and in those before and after. */
const toleranceSeconds = 30

/** A seed of 160 bits, base32, as authenticator apps take it. */
export function newSeed(): string {
  return generateSecret()
}

/** What the QR code of a seed says. */
export function otpauthUrl(seed: string, email: string): string {
  return generateURI({ issuer, label: email, secret: seed })
}

/**
 * Which time step (30 s since 1970) this code is of; undefined when it is of none near `nowMs`. Clients that send
 * numbers drop leading zeros, so shorter codes are filled up.
 */
export function stepOfCode(seed: string, code: string, nowMs: number): number | undefined {
  if (!/^\d{1,6}$/.test(code)) return undefined
  try {
    const result = verifySync({
      secret: seed,
      token: code.padStart(6, '0'),
      epoch: Math.floor(nowMs / 1000),
      epochTolerance: toleranceSeconds,
    })
    return result.valid && 'timeStep' in result ? result.timeStep : undefined
  } catch {
    // The library throws for a seed that is none.
    return undefined
  }
}
