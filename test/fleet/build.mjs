// Makes dist-fleet/: the processes of the rig for fleets, built as the controller that users start is built.
import { writeControllerBundle } from '../../deploy/setup/controller-bundle.mjs'

const programs = {
  controller: 'test/fleet/controller-main.ts',
  bare: 'test/fleet/bare-main.ts',
  fleet: 'test/fleet/fleet-main.ts',
  'certificate-request': 'agent/make-certificate-request.ts',
}
await writeControllerBundle('dist-fleet', programs, 'test/fleet/build.mjs')
