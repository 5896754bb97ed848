import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Docker from 'dockerode'

const imageTag = 'temblor-demo:latest'
const runLabel = 'temblor.demo.pid'
const cpusEach = 0.5

/** A container to attack. */
export interface DemoTarget {
  readonly id: string
  readonly name: string
  readonly initPid: number
  readonly capacityCores: number
  readonly isLabelled: boolean
}

export interface DemoTargets {
  readonly targets: readonly DemoTarget[]
  /** The label that two of the three carry. */
  readonly label: Readonly<Record<string, string>>
  /** Removes what was made. Resolves to what could not be removed. */
  remove(): Promise<string[]>
}

const shop: readonly TargetKind[] = [
  ['shop-1', true],
  ['shop-2', true],
  ['bystander', false],
]

/** The last part of a container's name, and whether it carries the label. */
type TargetKind = readonly [name: string, isLabelled: boolean]

/** Makes an image from a static busybox and starts containers from it, half a core each. */
export async function startTargets(wanted: readonly TargetKind[] = shop): Promise<DemoTargets> {
  const docker = new Docker()
  await removeStale(docker)
  const hadImage = await docker
    .getImage(imageTag)
    .inspect()
    .then(Boolean, () => false)
  if (!hadImage) await importImage(docker)
  const label = { 'temblor-demo.service': `shop-${process.pid}` }
  const started: DemoTarget[] = []
  const remove = async () => {
    const left = await removeContainers(docker, String(process.pid))
    if (!hadImage)
      await docker
        .getImage(imageTag)
        .remove()
        .catch(() => {})
    return left
  }
  try {
    for (const [name, isLabelled] of wanted)
      started.push(await startTarget(docker, name, isLabelled, label))
    return { targets: started, label, remove }
  } catch (error) {
    await remove()
    throw error
  }
}

async function startTarget(
  docker: Docker,
  shortName: string,
  isLabelled: boolean,
  label: Record<string, string>,
): Promise<DemoTarget> {
  const name = `temblor-demo-${process.pid}-${shortName}`
  const container = await docker.createContainer({
    name,
    Image: imageTag,
    Cmd: ['/bin/busybox', 'sleep', '600'],
    Labels: { [runLabel]: String(process.pid), ...(isLabelled ? label : {}) },
    HostConfig: { NanoCpus: cpusEach * 1e9, NetworkMode: 'none', Init: false },
  })
  await container.start()
  const { State } = await container.inspect()
  return { id: container.id, name, initPid: State.Pid, capacityCores: cpusEach, isLabelled }
}

async function importImage(docker: Docker): Promise<void> {
  const dir = mkdtempSync(path.join(tmpdir(), 'temblor-demo-image-'))
  try {
    const root = path.join(dir, 'root')
    mkdirSync(path.join(root, 'bin'), { recursive: true })
    copyFileSync(findBusybox(), path.join(root, 'bin/busybox'))
    symlinkSync('busybox', path.join(root, 'bin/sh'))
    const archive = path.join(dir, 'image.tar')
    const tar = spawnSync('tar', ['-C', root, '-cf', archive, '.'], { encoding: 'utf8' })
    if (tar.status !== 0) throw new Error(`tar failed: ${tar.stderr}`)
    const [repo, tag] = imageTag.split(':')
    const answer = await docker.importImage(archive, { repo, tag })
    // The image is there when the Engine has said its last word.
    await new Promise((resolve, reject) => answer.on('end', resolve).on('error', reject).resume())
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

function findBusybox(): string {
  const found = ['/usr/bin/busybox', '/bin/busybox'].find((file) => existsSync(file))
  if (!found) throw new Error('busybox is missing. Run: apt-get install -y busybox-static')
  return found
}

/** Containers of a demo that was killed: its process is no longer there. */
async function removeStale(docker: Docker): Promise<void> {
  const all = await docker.listContainers({ all: true, filters: { label: [runLabel] } })
  const pids = new Set(all.map((container) => container.Labels[runLabel] ?? ''))
  for (const pid of pids) if (!existsSync(`/proc/${pid}`)) await removeContainers(docker, pid)
}

async function removeContainers(docker: Docker, pid: string): Promise<string[]> {
  const filters = { label: [`${runLabel}=${pid}`] }
  const mine = await docker.listContainers({ all: true, filters })
  await Promise.all(
    mine.map(({ Id }) =>
      docker
        .getContainer(Id)
        .remove({ force: true })
        .catch(() => {}),
    ),
  )
  const left = await docker.listContainers({ all: true, filters })
  return left.map(({ Names, Id }) => `container ${Names[0] ?? Id}`)
}
