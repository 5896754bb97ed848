import { globSync } from 'node:fs'
import { join } from 'node:path'
import type { RouteContract } from '../../shared/api/route.ts'
import { repository } from './command.ts'

/** Every operation that is defined in shared/api. */
export async function allContracts(): Promise<RouteContract[]> {
  const files = globSync('shared/api/*.ts', { cwd: repository }).filter(
    (file) => !file.endsWith('.test.ts'),
  )
  const modules = await Promise.all(
    files.toSorted().map((file) => import(join(repository, file)) as Promise<object>),
  )
  const found = modules
    .flatMap((module) => Object.values(module) as unknown[])
    .filter((one): one is RouteContract => Object.hasOwn(Object(one) as object, 'operationId'))
  return [...new Set(found)]
}
