import { createHash, X509Certificate } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { status, type ServiceError } from '@grpc/grpc-js'
import type { JoinLine } from '../shared/join-line.ts'
import { reconnectDelayMs, retryAfterMsOf } from './backoff.ts'
import { fetchPinnedCa } from './ca-pin.ts'
import { createCertificateRequest } from './certificate-request.ts'
import { openChannel } from './channel.ts'
import {
  certificateTimes,
  readCredentials,
  saveCredentials,
  type AgentCredentials,
} from './identity.ts'
import { PlainError } from './plain-error.ts'

const enrolTimeoutMs = 15_000

/** The agent belongs to no team and was not told which to join. */
export class NotJoinedError extends PlainError {
  constructor(message: string) {
    super(`${message} Give it the join line of a team: run "temblor init", or set TEMBLOR_JOIN.`)
    this.name = 'NotJoinedError'
  }
}

/** The controller refused the enrolment; trying again will not help. */
export class EnrolmentRefused extends PlainError {
  override readonly name = 'EnrolmentRefused'
}

/** Nobody refused it; the controller is away or said when to come back. */
export class EnrolmentPostponed extends Error {
  override readonly name = 'EnrolmentPostponed'
  readonly retryAfterMs: number | undefined

  constructor(message: string, cause: ServiceError) {
    super(message, { cause })
    this.retryAfterMs = retryAfterMsOf(cause)
  }
}

/** As `obtainCredentials`; comes back when it is told to, so many times at most. `say` hears of it. */
export async function obtainWhenAdmitted(
  stateDir: string,
  instanceId: string,
  join: JoinLine | undefined,
  say: (text: string) => void,
  attempts = 10,
): Promise<AgentCredentials> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await obtainCredentials(stateDir, instanceId, join)
    } catch (error) {
      const toldMs = error instanceof EnrolmentPostponed ? error.retryAfterMs : undefined
      if (toldMs === undefined || attempt === attempts) throw error
      const delayMs = reconnectDelayMs(attempt, false, toldMs)
      say(`${(error as Error).message} Asking again in ${Math.ceil(delayMs / 1_000)} s.`)
      await sleep(delayMs)
    }
}

/**
 * The credentials of this agent: those it has, or new ones when it has none, when they have expired,
 * or when the join line names another team or authority.
 * @throws NotJoinedError without a join line where one is needed, PinError, EnrolmentRefused, Error
 * when the controller cannot be reached
 */
export async function obtainCredentials(
  stateDir: string,
  instanceId: string,
  join: JoinLine | undefined,
): Promise<AgentCredentials> {
  const known = readCredentials(stateDir)
  const isOver = known && certificateTimes(known.certificatePem).endsMs <= Date.now()
  if (!join) {
    if (!known) throw new NotJoinedError('This agent has not joined a team.')
    if (isOver) throw new NotJoinedError("This agent's certificate has expired.")
    return known
  }
  if (!known || isOver || !isSameTeam(known, join)) return enrol(stateDir, instanceId, join)
  if (known.address === join.address) return known
  const moved = { ...known, address: join.address }
  saveCredentials(stateDir, moved)
  return moved
}

/** Joins a team; the certificate and its key are stored, the secret is not. */
export async function enrol(
  stateDir: string,
  instanceId: string,
  join: JoinLine,
): Promise<AgentCredentials> {
  const { address, teamId, secret } = join
  const caPem = await fetchPinnedCa(address, join.caSha256)
  const { keyPem, csrPem } = await createCertificateRequest(instanceId, teamId)
  const client = openChannel(address, caPem)
  try {
    const request = { teamId, teamSecret: secret, instanceId, csrPem }
    const deadline = Date.now() + enrolTimeoutMs
    const certificatePem = await new Promise<string>((resolve, reject) => {
      client.enrol(request, { deadline }, (error: ServiceError | null, response) => {
        if (error) reject(enrolmentError(error, address))
        else resolve(response?.certificatePem ?? '')
      })
    })
    const credentials = { address, teamId, caPem, certificatePem, keyPem }
    saveCredentials(stateDir, credentials)
    return credentials
  } finally {
    client.close()
  }
}

function enrolmentError(error: ServiceError, address: string): Error {
  const message = `The controller at ${address} did not accept this host: ${error.details}`
  if (error.code === status.UNAVAILABLE || error.code === status.DEADLINE_EXCEEDED)
    return new EnrolmentPostponed(message, error)
  return new EnrolmentRefused(message, { cause: error })
}

function isSameTeam(known: AgentCredentials, join: JoinLine): boolean {
  const ca = createHash('sha256').update(new X509Certificate(known.caPem).raw).digest('hex')
  return known.teamId === join.teamId && ca === join.caSha256
}
