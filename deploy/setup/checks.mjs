import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { runChild } from './child.mjs'

/** The programs of the tool box below node_modules, run by the runtime that came with them. */
export function toolBox(root) {
  const bin = (name) => path.join(root, 'node_modules/.bin', name)
  return {
    node: bin('node'),
    run: (name, args, options = {}) =>
      runChild(bin('node'), [bin(name), ...args], { cwd: root, ...options }),
  }
}

/** Everything that must be clean before a commit. Resolves to the exit code. */
export async function runChecks(root, say) {
  const tools = toolBox(root)
  /** @type {[string, string, () => Promise<number>][]} */
  const steps = [
    ['format', 'npm run format mends it', () => tools.run('oxfmt', ['--check', '.'])],
    ['lint', 'rules are in .oxlintrc.json', () => tools.run('oxlint', ['--type-aware'])],
    [
      'types',
      '',
      () => runChild(path.join(root, 'node_modules/.bin/tsc'), ['-p', '.'], { cwd: root }),
    ],
    [
      'types of the web application',
      '',
      () =>
        runChild(path.join(root, 'node_modules/.bin/tsc'), ['-p', 'controller/web'], { cwd: root }),
    ],
    ['dead code', 'entries are in knip.json', () => tools.run('knip', [])],
    ['proto/gen', 'npm run gen writes it anew', () => compareGenerated(root, say)],
    ['build', '', () => runChild(tools.node, ['deploy/setup/build.mjs'], { cwd: root })],
    [
      'build of the controller',
      '',
      () => runChild(tools.node, ['deploy/setup/build-controller.mjs'], { cwd: root }),
    ],
    [
      'build of the web application',
      '',
      () => runChild(tools.node, ['deploy/setup/build-web.mjs'], { cwd: root }),
    ],
    ['unit tests', '', () => tools.run('vitest', ['run', '--project', 'unit'])],
  ]
  for (const [name, hint, step] of steps) {
    say(`check: ${name}`)
    const code = await step()
    if (code !== 0) {
      say(`check: FAILED at "${name}"${hint ? `; ${hint}` : ''}.`)
      return code
    }
  }
  say('check: all clean.')
  return 0
}

/** Writes the types of the wire contract; the options must be those of proto/load.ts. */
export function generate(root, outDir) {
  const args = ['--longs', 'Number', '--defaults', '--oneofs', '--includeComments']
  args.push('--grpcLib', '@grpc/grpc-js', '--importFileExtension=.ts')
  args.push('-I', 'proto', '-O', outDir, 'temblor/agent/v1/agent.proto')
  return toolBox(root).run('proto-loader-gen-types', args, {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

async function compareGenerated(root, say) {
  const fresh = mkdtempSync(path.join(tmpdir(), 'temblor-gen-'))
  try {
    const code = await generate(root, fresh)
    if (code !== 0) return code
    const committed = readTree(path.join(root, 'proto/gen'))
    const generated = readTree(fresh)
    const names = new Set([...committed.keys(), ...generated.keys()])
    const stale = [...names].filter((name) => committed.get(name) !== generated.get(name))
    for (const name of stale) say(`  proto/gen/${name} differs from proto/`)
    return stale.length === 0 ? 0 : 1
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

function readTree(dir) {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true })
  return new Map(
    files
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const file = path.join(entry.parentPath ?? entry.path, entry.name)
        return [path.relative(dir, file), readFileSync(file, 'utf8')]
      }),
  )
}
