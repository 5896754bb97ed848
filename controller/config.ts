import { resolve } from 'node:path'
import { readMailSettings, type MailSettings } from './mail/settings.ts'
import { readProviderSettings, type ProviderSettings } from './oauth/settings.ts'
import { readRedisUrl } from './store/redis-address.ts'

/** The settings of a controller, checked once at its start. */
export interface ControllerConfig extends ProviderSettings {
  /** Address to listen on for HTTP. */
  readonly listen: string
  /** Address to listen on for agents; they always speak mutual TLS. */
  readonly grpcListen: string
  /** Certificate and key (PEM files) with which the API itself speaks TLS. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined
  /** Addresses or networks of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[]
  readonly httpPort: number
  readonly grpcPort: number
  /** As `redisUrlForms` has it. */
  readonly redisUrl: string
  /** Holds the CA key and the sealing key; made at the first start; shared by all controllers. */
  readonly keyFile: string
  /** Scheme, host and port under which others reach the API; undefined: where it listens. */
  readonly publicUrl: string | undefined
  /** Undefined: no mail is sent. */
  readonly mail: MailSettings | undefined
  readonly sessionSeconds: number
  /** How long the audit is kept; 0 for ever. */
  readonly auditDays: number
  /** How long attacks are kept after their end; 0 for ever. */
  readonly attackDays: number
  /** How long hosts are kept that are silent; 0 for ever. */
  readonly hostDays: number
  /** How long after the sign-in a session may be renewed. */
  readonly renewalSeconds: number
  readonly deadManMs: number
  readonly heartbeatMs: number
  /** So many agents may connect in a second; more are told to come back later. */
  readonly registrationsPerSecond: number
  /** How long agents have at most to go elsewhere when the controller stops. */
  readonly drainMs: number
  readonly logLevel: string
}

const minuteSeconds = 60
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']
const loopback = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/

/**
 * Reads the settings from the environment.
 * @throws Error with every fault in one message: the variable, its value, what is allowed
 */
export function readConfig(env: NodeJS.ProcessEnv): ControllerConfig {
  const faults: string[] = []
  const number = (name: string, fallback: number, min: number, max: number): number => {
    const text = env[name]
    if (text === undefined || text === '') return fallback
    const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    faults.push(`${name} cannot be "${text}". Allowed: a whole number from ${min} to ${max}.`)
    return fallback
  }
  const dataDir = resolve(env['TEMBLOR_DATA_DIR'] || '.temblor')
  const [certFile, tlsKeyFile] = [env['TEMBLOR_TLS_CERT'], env['TEMBLOR_TLS_KEY']]
  if (Boolean(certFile) !== Boolean(tlsKeyFile))
    faults.push('TEMBLOR_TLS_CERT and TEMBLOR_TLS_KEY belong together. Set both or neither.')
  const listen = env['TEMBLOR_LISTEN'] || '127.0.0.1'
  const config: ControllerConfig = {
    listen,
    grpcListen: env['TEMBLOR_GRPC_LISTEN'] || listen,
    tls: certFile && tlsKeyFile ? { certFile, keyFile: tlsKeyFile } : undefined,
    trustedProxies: (env['TEMBLOR_TRUSTED_PROXIES'] ?? '').split(',').filter(Boolean),
    httpPort: number('TEMBLOR_HTTP_PORT', 8080, 0, 65_535),
    grpcPort: number('TEMBLOR_GRPC_PORT', 8081, 0, 65_535),
    redisUrl: env['TEMBLOR_REDIS_URL'] || 'redis://127.0.0.1:6379',
    keyFile: resolve(env['TEMBLOR_KEY_FILE'] || `${dataDir}/keys.json`),
    publicUrl: readPublicUrl(env['TEMBLOR_PUBLIC_URL'], faults),
    mail: readMailSettings(env, faults),
    ...readProviderSettings(env, faults),
    sessionSeconds: number('TEMBLOR_SESSION_SECONDS', 720 * minuteSeconds, 1, 720 * minuteSeconds),
    renewalSeconds: number('TEMBLOR_RENEWAL_SECONDS', 7 * 86_400, 1, 90 * 86_400),
    auditDays: number('TEMBLOR_AUDIT_DAYS', 400, 0, 36_500),
    attackDays: number('TEMBLOR_ATTACK_DAYS', 90, 0, 36_500),
    hostDays: number('TEMBLOR_HOST_DAYS', 30, 0, 36_500),
    deadManMs: number('TEMBLOR_DEAD_MAN_MS', 30_000, 1_000, 600_000),
    heartbeatMs: number('TEMBLOR_HEARTBEAT_MS', 5_000, 500, 60_000),
    registrationsPerSecond: number('TEMBLOR_REGISTRATIONS_PER_SECOND', 150, 1, 100_000),
    drainMs: number('TEMBLOR_DRAIN_SECONDS', 60, 0, 3_600) * 1_000,
    logLevel: env['TEMBLOR_LOG_LEVEL'] || 'info',
  }
  faults.push(...otherFaults(config, env))
  if (faults.length > 0) throw new Error(faults.join('\n'))
  return config
}

function readPublicUrl(text: string | undefined, faults: string[]): string | undefined {
  if (!text) return undefined
  const url = URL.parse(text)
  const isBare = url && [url.origin, `${url.origin}/`].includes(url.href) && !url.username
  if (isBare && ['http:', 'https:'].includes(url.protocol)) return url.origin
  faults.push(
    `TEMBLOR_PUBLIC_URL cannot be "${text}". Allowed: http://host:port or https://host, without a path.`,
  )
  return undefined
}

/** Whether only this machine reaches what listens there. */
export function isLoopback(listen: string): boolean {
  return loopback.test(listen)
}

/** What cannot be told from one variable alone. */
function otherFaults(config: ControllerConfig, env: NodeJS.ProcessEnv): string[] {
  const faults: string[] = []
  if (!logLevels.includes(config.logLevel))
    faults.push(
      `TEMBLOR_LOG_LEVEL cannot be "${config.logLevel}". Allowed: ${logLevels.join(', ')}.`,
    )
  const isSheltered = config.tls !== undefined || config.trustedProxies.length > 0
  if (!isLoopback(config.listen) && !isSheltered && env['TEMBLOR_INSECURE'] !== 'yes')
    faults.push(
      `TEMBLOR_LISTEN cannot be "${config.listen}": passwords would travel in the clear. ` +
        'Set TEMBLOR_TLS_CERT and TEMBLOR_TLS_KEY, or TEMBLOR_TRUSTED_PROXIES when a proxy ends TLS, ' +
        'or TEMBLOR_INSECURE=yes.',
    )
  try {
    readRedisUrl(config.redisUrl)
  } catch (error) {
    faults.push(`TEMBLOR_REDIS_URL names no Redis. ${(error as Error).message}`)
  }
  return faults
}
