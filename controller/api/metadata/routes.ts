import { readMetadata } from '../../../shared/api/metadata.ts'
import { describeAttackTypes } from '../../../shared/attacks/describe.ts'
import type { Router } from '../../plugins/routes.ts'

/** The catalogue of attack types, for forms and other clients. */
export function addMetadataRoutes(router: Router): void {
  router.add(readMetadata, () => describeAttackTypes())
}
