import { hash, verify } from '@node-rs/argon2'

/** OWASP's minimum for argon2id: 19 MiB, two passes, one lane. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Hashes passwords, wherever that is done. */
export interface Hasher {
  hash(password: string): Promise<string>
  /** False also for what is no hash. */
  verify(passwordHash: string, password: string): Promise<boolean>
}

/** Hashes on a thread of this process. */
export const hashHere: Hasher = {
  hash: (password) => hash(password, parameters),
  verify: (passwordHash, password) => verify(passwordHash, password).catch(() => false),
}
