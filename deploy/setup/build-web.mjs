// Makes dist-web/: the web application as static files with hashed names, each beside its gzip. Run by
// the Node that came with the packages; reads and writes here only. Prints nothing when nothing is to do.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { digestOf } from '../../agent/cli/bundle.js'
import { replaceFolder } from './replace-folder.mjs'

const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))))
const source = path.join(root, 'controller/web')
const dist = path.join(root, 'dist-web')

/** What a browser loads before somebody can sign in, after gzip. */
const signInLimitBytes = 200_000
const signInPage = 'controller/web/pages/sign-in/page.tsx'

try {
  if (!isFresh()) await build()
} catch (error) {
  process.stderr.write(`temblor: the build of the web application failed: ${error.message}\n`)
  process.exitCode = 1
}

async function build() {
  process.env.NODE_ENV = 'production'
  const [{ build: bundle }, { default: react }] = await Promise.all([
    import('vite'),
    import('@vitejs/plugin-react'),
  ])
  // Beside dist-web/, so that it can take its place in one step.
  const fresh = mkdtempSync(`${dist}-`)
  try {
    const { output } = await bundle({
      configFile: false,
      root: source,
      logLevel: 'warn',
      plugins: [react()],
      resolve: { alias: { typebox: path.join(source, 'no-schemas.ts') } },
      // The controller puts one for each answer in its place.
      html: { cspNonce: '{nonce}' },
      build: {
        outDir: fresh,
        emptyOutDir: false,
        // Styles and images in addresses would need a weaker policy.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        chunkSizeWarningLimit: 1_000,
        license: { fileName: 'licenses.md' },
      },
    })
    checkSignIn(fresh, output)
    compress(fresh)
    writeManifest(fresh, output)
    replaceFolder(fresh, dist, isFresh)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

/** @throws Error when what the sign-in page needs has grown too large */
function checkSignIn(folder, output) {
  const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk]))
  const isPage = ({ modules = {} }) => Object.keys(modules).some((id) => id.endsWith(signInPage))
  const reached = new Set(
    output.filter((chunk) => chunk.isEntry || isPage(chunk)).map(({ fileName }) => fileName),
  )
  for (const name of reached) {
    const { imports = [], viteMetadata } = chunks.get(name) ?? {}
    for (const next of [...imports, ...(viteMetadata?.importedCss ?? [])]) reached.add(next)
  }
  const bytes = [...reached].reduce(
    (sum, name) => sum + gzipSync(readFileSync(path.join(folder, name))).length,
    0,
  )
  const figure = `the sign-in page needs ${Math.round(bytes / 1000)} kB of JS and CSS after gzip`
  if (!output.some(isPage)) throw new Error(`there is no ${signInPage}.`)
  if (bytes > signInLimitBytes)
    throw new Error(`${figure}; ${signInLimitBytes / 1000} are allowed.`)
  process.stderr.write(`Built the web application; ${figure}.\n`)
}

/** Whoever accepts gzip is sent what was packed once, here. */
function compress(folder) {
  for (const name of filesIn(path.join(folder, 'assets'))) {
    const file = path.join(folder, 'assets', name)
    if (/\.(js|css|svg)$/.test(name))
      writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }))
  }
}

/** Whether dist-web/ was made of exactly what its sources and the lock of the packages hold now. */
function isFresh() {
  try {
    const { inputs, digest } = JSON.parse(readFileSync(path.join(dist, 'build.json'), 'utf8'))
    const own = inputs.filter((name) => name.startsWith('controller/web/'))
    return own.join('\n') === ownSources().join('\n') && digestOf(inputs) === digest
  } catch {
    // Never built, or built of a file that is no more.
    return false
  }
}

/** Says what dist-web/ was made of. Packages are as good as the lock that names them. */
function writeManifest(folder, output) {
  const shared = output
    .flatMap((chunk) => Object.keys(chunk.modules ?? {}))
    .map((id) => path.relative(root, id))
    .filter((name) => name.startsWith('shared/'))
  const others = ['package-lock.json', 'deploy/setup/build-web.mjs']
  const inputs = [...ownSources(), ...new Set(shared), ...others]
  const manifest = { inputs, digest: digestOf(inputs) }
  writeFileSync(path.join(folder, 'build.json'), `${JSON.stringify(manifest, null, 1)}\n`)
}

function ownSources() {
  return filesIn(source)
    .filter((name) => !name.includes('.test.'))
    .map((name) => `controller/web/${name}`)
    .sort()
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => statSync(path.join(folder, name)).isFile())
}
