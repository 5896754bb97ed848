import { defineAttack, type TargetKind } from './define.ts'

/** A host may take this long to go down and come back before it counts as lost. */
const rebootSettleSeconds = 900
/** A host that was to power off and is silent after this long is off. */
const powerOffSettleSeconds = 120

type ShutdownParams = { delayMinutes: number; reboot: boolean; crash: boolean }

/** Takes a host or a container down: after its delay, once, and not to be undone. */
export const shutdown = defineAttack({
  type: 'shutdown',
  title: 'Shutdown',
  category: 'State',
  summary: 'Reboots or powers off a host; restarts, stops or crashes a container.',
  params: {
    delayMinutes: {
      type: 'integer',
      default: 1,
      minimum: 0,
      maximum: 1440,
      unit: 'min',
      title: 'Delay',
      description: 'How long to wait before it goes down; until then a halt prevents it.',
    },
    reboot: {
      type: 'boolean',
      default: false,
      title: 'Start again afterwards',
      description: 'Start it again. Without it a host powers off and stays off.',
    },
    crash: {
      type: 'boolean',
      default: false,
      title: 'Crash instead of stop',
      description:
        'Containers only: kill its first process from outside, so that its restart policy acts.',
    },
    allowControllerHost: {
      type: 'boolean',
      default: false,
      title: 'Also where a controller runs',
      description: 'Also a host on which a controller runs; needs the rights of a company admin.',
    },
  },
  flags: {
    delayMinutes: { short: 'd', long: 'delay' },
    reboot: { short: 'r', long: 'reboot' },
    crash: { long: 'crash' },
    allowControllerHost: { long: 'allow-controller-host' },
  },
  conflicts: [['reboot', 'crash']],
  targets: ['Host', 'Container'],
  needs: ['root', 'containers: a Docker Engine'],
  privilege: 'FAULT_SHUTDOWN',
  unfit: ({ crash }: ShutdownParams, target) =>
    crash && target === 'Host'
      ? { param: 'crash', message: 'Only containers crash; a host reboots (-r) or powers off.' }
      : undefined,
  lengthSeconds: (params) => params.delayMinutes * 60,
  goesDown: (params, target) => {
    if (target === 'Container') return undefined
    const settleSeconds = params.reboot ? rebootSettleSeconds : powerOffSettleSeconds
    return { comesBack: params.reboot, settleSeconds }
  },
  warnings: shutdownWarnings,
  requested: (params) => ({
    metric: 'shutdown',
    value: 1,
    unit: 'times',
    detail: { delay_seconds: params.delayMinutes * 60 },
  }),
})

function shutdownWarnings({ reboot, crash }: ShutdownParams, target: TargetKind): string[] {
  if (reboot || crash) return []
  if (target === 'Host')
    return ['The host powers off and will not come back by itself. Give -r/--reboot to reboot it.']
  return [
    'The container is stopped and will not come back by itself, whatever its restart policy. Give -r/--reboot to restart it, or --crash to have its policy act.',
  ]
}
