import type { Seal } from '../auth/seal.ts'
import { keys } from './keys.ts'
import { loadScript, type Redis } from './redis.ts'
import type { SealedPlace } from './sealed-place.ts'

/** With what this service provider signs. */
export interface SamlSigner {
  readonly certificatePem: string
  readonly keyPem: string
}

interface SignerRecord {
  readonly certificatePem: string
  readonly keySealed: string
}

/** The signer of the installation, the same for all controllers; its key is sealed. */
export interface SamlSignerStore extends SealedPlace {
  /** The one that is kept; `make` makes the first, of several at once one is kept. */
  read(make: () => Promise<SamlSigner>): Promise<SamlSigner>
}

const field = 'record'
const keyName = 'saml signing key'
const replaceField = loadScript('replace-field')

/** Opens the store of the signer. */
export function openSamlSigner(redis: Redis, seal: Seal): SamlSignerStore {
  const readText = async () => (await redis.hget(keys.samlSigner, field)) ?? ''
  const write = async (before: string, record: SignerRecord) =>
    (await replaceField.run(redis, [keys.samlSigner], [field, before, JSON.stringify(record)])) ===
    1
  const toSigner = (text: string): SamlSigner => {
    const { certificatePem, keySealed } = JSON.parse(text) as SignerRecord
    return { certificatePem, keyPem: seal.open(keySealed, keyName) }
  }
  return {
    async read(make) {
      const known = await readText()
      if (known !== '') return toSigner(known)
      const { certificatePem, keyPem } = await make()
      await write('', { certificatePem, keySealed: seal.close(keyPem, keyName) })
      return toSigner(await readText())
    },
    async reseal() {
      for (;;) {
        const text = await readText()
        if (text === '') return 0
        const record = JSON.parse(text) as SignerRecord
        const keySealed = seal.renew(record.keySealed, keyName)
        if (keySealed === undefined) return 0
        if (await write(text, { ...record, keySealed })) return 1
      }
    },
  }
}
