import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Audit } from '../audit/audit.ts'
import { openKeyFile, type KeyFile } from '../auth/key-file.ts'
import { createSeal } from '../auth/seal.ts'
import { openAdminAudit } from './audit.ts'
import { openRedis } from '../store/redis.ts'
import { openStore, type Store } from '../store/store.ts'

/** What `temblor admin` works on: the data of the controller on this host. */
export interface AdminConnection {
  readonly store: Store
  readonly audit: Audit
  readonly keyFile: KeyFile
  /** `host:port` for agents, when the running service says it. */
  readonly grpcAddress: string | undefined
  /** Where links lead to, when a setting or the running service says it. */
  readonly siteUrl: string | undefined
  close(): Promise<void>
}

/**
 * Connects to the data of the service on this host: TEMBLOR_REDIS_URL, or what `npm start` wrote into
 * TEMBLOR_DATA_DIR.
 * @throws Error saying what is missing
 */
export async function openAdminConnection(env: NodeJS.ProcessEnv): Promise<AdminConnection> {
  const dataDir = resolve(env['TEMBLOR_DATA_DIR'] || '.temblor')
  const local = readLocal(dataDir)
  const redisUrl = env['TEMBLOR_REDIS_URL'] || local.redisUrl
  if (!redisUrl)
    throw new Error(
      `There is no running Temblor in ${dataDir}. Start it with npm start, or name its folder with TEMBLOR_DATA_DIR or its Redis with TEMBLOR_REDIS_URL.`,
    )
  const redis = openRedis(redisUrl)
  redis.on('error', () => undefined)
  try {
    await redis.ping()
  } catch (cause) {
    redis.disconnect()
    throw new Error(`The Redis of ${dataDir} does not answer. Start Temblor with npm start.`, {
      cause,
    })
  }
  const keyFile = await openKeyFile(env['TEMBLOR_KEY_FILE'] || `${dataDir}/keys.json`)
  const store = await openStore(redis, createSeal(keyFile))
  const audit = openAdminAudit(store, keyFile)
  return {
    store,
    audit,
    keyFile,
    grpcAddress: local.grpcAddress,
    siteUrl: env['TEMBLOR_PUBLIC_URL'] || local.appUrl,
    async close() {
      await audit.close()
      redis.disconnect()
    },
  }
}

function readLocal(dataDir: string): { redisUrl?: string; grpcAddress?: string; appUrl?: string } {
  try {
    return JSON.parse(readFileSync(`${dataDir}/local.json`, 'utf8')) as Record<string, string>
  } catch {
    return {}
  }
}
