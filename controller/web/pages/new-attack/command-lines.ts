import type { CreateAttackBody } from '../../../../shared/api/attacks.ts'
import type { AttackType } from '../../../../shared/attacks/define.ts'
import { argsOf, drawsHosts, isPercent, type Draft } from './draft.ts'

/**
 * The same attack for the command line; undefined where that has no words for it.
 * Drawn containers of drawn hosts, and hosts that are named and carry tags, are for the API alone.
 */
export function cliLine(type: AttackType, draft: Draft): string | undefined {
  const target = targetFlags(draft)
  if (!target) return undefined
  const words = ['temblor', 'attack', 'run', type.type, ...argsOf(type, draft.options), ...target]
  return words.map(shellWord).join(' ')
}

/** The same attack for curl, with a key of the environment. */
export function curlLine(baseUrl: string, teamId: string, body: CreateAttackBody): string {
  return [
    `curl -sS ${shellWord(`${baseUrl}/attacks/new?teamId=${encodeURIComponent(teamId)}`)}`,
    `-H "Authorization: Key $TEMBLOR_API_KEY"`,
    `-H 'Content-Type: application/json'`,
    `-d ${shellWord(JSON.stringify(body))}`,
  ].join(' \\\n  ')
}

function targetFlags(draft: Draft): string[] | undefined {
  const { choice, kind, hosts, tags } = draft
  const named = hosts.flatMap((host) => flag('--target', host))
  if (choice === 'Exact') return [...named, ...containerFlags(draft), ...wholeFlags(draft)]
  if (hosts.length > 0 && tags.length > 0) return undefined
  const among = [...named, ...tags.flatMap((tag) => flag('--tag', tag))]
  // One host of all, or of those with tags, is drawn when nothing else is said.
  const isUsual = drawsHosts(draft) && isOne(draft) && hosts.length === 0
  if (isUsual) return [...(among.length > 0 ? among : ['--random']), ...containerFlags(draft)]
  if (kind === 'Container' && drawsHosts(draft)) return undefined
  const draw = [isPercent(draft) ? '--percent-of-targets' : '--count', draft.amount]
  return [...among, ...containerFlags(draft), ...draw]
}

function isOne(draft: Draft): boolean {
  return !isPercent(draft) && draft.amount === '1'
}

/** Without hosts or containers the CLI has no Exact: all that match are the same. */
function wholeFlags({ kind, hosts, containers }: Draft): string[] {
  const isNamed = kind === 'Host' || hosts.length > 0 || containers.length > 0
  return isNamed ? [] : ['--percent-of-targets', '100']
}

function containerFlags({ kind, labels, containers }: Draft): string[] {
  if (kind === 'Host') return []
  const flags = [
    ...labels.flatMap((label) => flag('--label', label)),
    ...containers.flatMap((id) => flag('--container', id)),
  ]
  return flags.length > 0 ? flags : ['--all-containers']
}

/** A value that looks like a flag stands behind a sign. */
function flag(name: string, value: string): string[] {
  return value.startsWith('-') ? [`${name}=${value}`] : [name, value]
}

/** A word that every shell takes as it stands; whatever acts on a terminal is written as its number. */
function shellWord(text: string): string {
  if (/^[\w./:=,@%+-]+$/.test(text)) return text
  if (!/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text))
    return `'${text.replaceAll("'", String.raw`'\''`)}'`
  const escaped = text
    .replaceAll(/[\\']/g, String.raw`\$&`)
    .replaceAll(
      /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
      (one) => String.raw`\U` + (one.codePointAt(0) ?? 0).toString(16).padStart(8, '0'),
    )
  return `$'${escaped}'`
}
