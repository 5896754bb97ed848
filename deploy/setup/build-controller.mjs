// Makes dist-controller/: the controller and its admin commands. Run by the Node that came with the packages.
import { writeControllerBundle } from './controller-bundle.mjs'

try {
  const programs = { controller: 'controller/main.ts', admin: 'controller/admin/main.ts' }
  await writeControllerBundle('dist-controller', programs, 'deploy/setup/build-controller.mjs')
} catch (error) {
  process.stderr.write(`temblor: the build of the controller failed: ${error.message}\n`)
  process.exitCode = 1
}
