import { type CreateAttackBody, previewAttack } from '../../../shared/api/attacks.ts'
import type { ApiClient } from '../../../shared/api/client.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'
import { canAsk, confirm } from '../output/confirm.ts'
import {
  blastRadius,
  exitCodeOfPreview,
  previewLines,
  whatAndWhen,
} from '../output/preview-view.ts'

/** Prints who would be hit; the exit code says whether all, some or none could be. */
export async function showPreview(
  api: ApiClient,
  io: CliIo,
  body: CreateAttackBody,
): Promise<void> {
  const preview = await api.call(previewAttack, { body })
  printResult(io, preview, () => previewLines(preview))
  const code = exitCodeOfPreview(preview)
  if (code === exitCodes.attackFailed)
    throw new CliError(
      preview.would_start ? 'None of the targets could do it.' : 'The attack would not start.',
      code,
    )
  if (code !== exitCodes.ok) throw new CliError('Some of the targets could not do it.', code)
}

/** Asks a person before the attack, naming its blast radius. */
export async function confirmAttack(
  api: ApiClient,
  io: CliIo,
  body: CreateAttackBody,
  isSure: boolean,
): Promise<void> {
  if (isSure || !canAsk(io)) return
  const preview = await api.call(previewAttack, { body })
  // What cannot start is refused by the controller itself, in its own words.
  if (!preview.would_start) return
  for (const { client_id: host, guest_name: name, cannot } of preview.would_hit)
    if (cannot !== null)
      io.say(`${name === null ? host : `${host}/${name}`} cannot do it: ${cannot}`)
  for (const warning of preview.warnings) io.say(warning)
  await confirm(io, isSure, `${whatAndWhen(preview)}: this hits ${blastRadius(preview)}. Go on?`)
}
