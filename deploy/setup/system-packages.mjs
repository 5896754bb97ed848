import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline/promises'

/** Debian packages by what they give us; the first program that is missing makes it needed. */
const packages = {
  'redis-server': { why: 'the store', isThere: () => hasProgram('redis-server') },
  'docker.io': { why: 'containers to attack', isThere: () => hasProgram('dockerd') },
  containerd: { why: 'used by Docker', isThere: () => hasProgram('containerd') },
  runc: { why: 'used by Docker', isThere: () => hasProgram('runc') },
  iptables: { why: 'used by Docker', isThere: () => hasProgram('iptables') },
  'busybox-static': { why: 'the image of the target containers', isThere: hasStaticBusybox },
  'qemu-system-x86': {
    why: 'emulated machines as hosts to attack',
    isThere: () => hasProgram('qemu-system-x86_64'),
  },
  'qemu-utils': { why: 'their disks', isThere: () => hasProgram('qemu-img') },
  mmdebstrap: { why: 'the Debian in them', isThere: () => hasProgram('mmdebstrap') },
  e2fsprogs: { why: 'their file systems', isThere: () => hasProgram('mke2fs') },
  cpio: { why: 'what they boot from', isThere: () => hasProgram('cpio') },
  nftables: { why: 'rules for packets', isThere: () => hasProgram('nft') },
  iproute2: { why: 'network namespaces', isThere: () => hasProgram('ip') },
  'iputils-ping': { why: 'echo requests over them', isThere: () => hasProgram('ping') },
  procps: { why: 'settings of them', isThere: () => hasProgram('sysctl') },
  chromium: { why: 'a browser for the pages', isThere: () => hasProgram('chromium') },
  'stress-ng': { why: 'what the bench compares with', isThere: () => hasProgram('stress-ng') },
}

const units = {
  'redis-server': ['redis-server.service'],
  'docker.io': ['docker.service', 'docker.socket'],
  containerd: ['containerd.service'],
}

/** What an Engine of our own needs; with a running Engine only the image's package is needed. */
export const enginePackages = ['docker.io', 'containerd', 'runc', 'iptables']

/** What the tests of network faults make their hosts with. */
export const networkPackages = ['nftables', 'iproute2', 'iputils-ping', 'procps', 'iptables']

/** What the emulated machines of the tests are made with. */
const guestPackages = ['qemu-system-x86', 'qemu-utils', 'mmdebstrap', 'e2fsprogs', 'cpio']

/** The packages for emulated machines; none where they are not made: see test/support/guest. */
export function packagesForGuests() {
  const release = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : ''
  const areMade = process.arch === 'x64' && /^ID=debian$/m.test(release)
  return areMade ? guestPackages : []
}

/** A system package is missing and cannot be installed from here; the message says what to type. */
export class MissingPackages extends Error {}

/**
 * Installs the named Debian packages that are missing, after saying which and why.
 * @throws MissingPackages when this is not root on Debian or Ubuntu, or the user says no
 */
export async function ensureSystemPackages(names, { say, askFirst }) {
  const missing = names.filter((name) => !packages[name].isThere())
  if (missing.length === 0) return
  say('Missing on this machine:')
  for (const name of missing) say(`  ${name.padEnd(15)} ${packages[name].why}`)
  const line = `apt-get install -y --no-install-recommends ${missing.join(' ')}`
  if (!hasProgram('apt-get'))
    throw new MissingPackages(`Install these with the tools of your system: ${missing.join(', ')}.`)
  if (process.getuid?.() !== 0)
    throw new MissingPackages(`This user cannot install packages. Run: sudo ${line}`)
  if (askFirst && !(await confirmed(`Install them with apt-get, without starting any service?`)))
    throw new MissingPackages(`Not installed. To do it yourself: ${line}`)
  say(`Running: ${line}`)
  await withoutServiceStarts(missing, () => aptInstall(missing))
  const still = missing.filter((name) => !packages[name].isThere())
  if (still.length > 0)
    throw new MissingPackages(`apt-get did not bring ${still.join(', ')}. Run: ${line}`)
}

/** Whether a program is on the path or in the folders where Debian keeps daemons. */
function hasProgram(name) {
  return findProgram(name) !== undefined
}

/** The absolute path of a program, or undefined. */
export function findProgram(name) {
  return searchPath()
    .split(':')
    .map((dir) => path.join(dir, name))
    .find((file) => existsSync(file))
}

/** The path with the folders of daemons, which an ordinary user's does not have. */
export function searchPath() {
  return `${process.env.PATH ?? ''}:/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin`
}

/** A busybox without an interpreter in its ELF header runs in an empty image. */
function hasStaticBusybox() {
  const file = findProgram('busybox')
  if (file === undefined) return false
  const elf = readFileSync(file)
  if (elf.readUInt32BE(0) !== 0x7f454c46 || elf[4] !== 2) return false
  const [offset, size, count] = [
    Number(elf.readBigUInt64LE(32)),
    elf.readUInt16LE(54),
    elf.readUInt16LE(56),
  ]
  const interpreterSegment = 3
  return Array.from({ length: count }, (_, i) => elf.readUInt32LE(offset + i * size)).every(
    (type) => type !== interpreterSegment,
  )
}

async function confirmed(question) {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question(`${question} [Y/n] `)
  terminal.close()
  return /^(y|yes|)$/i.test(answer.trim())
}

async function aptInstall(names) {
  if (!areKnown(names)) await apt(['update', '-q'])
  const install = ['install', '-y', '-q', '--no-install-recommends', ...names]
  try {
    await apt(install)
  } catch {
    // The lists may be so old that the files they name are gone.
    await apt(['update', '-q'])
    await apt(install)
  }
}

function areKnown(names) {
  const { stdout } = spawnSync('apt-cache', ['policy', ...names], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  })
  const candidates = (stdout ?? '').match(/Candidate: (?!\(none\))/g) ?? []
  return candidates.length === names.length
}

function apt(args) {
  return new Promise((resolve, reject) => {
    const child = spawn('apt-get', ['-o', 'DPkg::Lock::Timeout=300', ...args], {
      stdio: ['ignore', 2, 2],
      env: {
        ...process.env,
        PATH: searchPath(),
        DEBIAN_FRONTEND: 'noninteractive',
        NEEDRESTART_SUSPEND: '1',
      },
    })
    child.on('error', reject)
    child.on('exit', (code) => {
      if (code === 0) resolve(undefined)
      else reject(new MissingPackages(`apt-get ${args.join(' ')} failed; what it said is above.`))
    })
  })
}

const policyFile = '/usr/sbin/policy-rc.d'
const policyMark = '# Written by Temblor while it installs packages.'

function interrupted() {
  process.exit(130)
}

/**
 * Keeps package scripts from starting their services, now and at the next boot. A policy of the
 * owner's is left alone; one of ours that a killed run left behind is taken away.
 */
async function withoutServiceStarts(names, install) {
  const isOurs = () =>
    existsSync(policyFile) && readFileSync(policyFile, 'utf8').includes(policyMark)
  const writes = !existsSync(policyFile) || isOurs()
  if (writes) writeFileSync(policyFile, `#!/bin/sh\n${policyMark}\nexit 101\n`, { mode: 0o755 })
  const remove = () => {
    if (writes && isOurs()) rmSync(policyFile, { force: true })
  }
  process.on('exit', remove)
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, interrupted)
  try {
    await install()
  } finally {
    remove()
    process.off('exit', remove)
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, interrupted)
  }
  disable(names.flatMap((name) => units[name] ?? []))
}

/** Their packages enable these units, so that they would start at the next boot. */
function disable(enabled) {
  if (enabled.length === 0) return
  if (hasProgram('systemctl')) {
    spawnSync('systemctl', ['disable', '--quiet', ...enabled], { stdio: 'ignore' })
    return
  }
  // Without systemd the links are there all the same and would count once it is installed.
  for (const target of ['multi-user', 'sockets'])
    for (const unit of enabled)
      rmSync(`/etc/systemd/system/${target}.target.wants/${unit}`, { force: true })
}
