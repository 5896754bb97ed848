import type { BenchContext, Table } from './group.ts'

/** Makes one table of a group. */
export type Section = () => Promise<Table>

/** Makes one table after the other; one that cannot be made does not keep the others from it. */
export async function runSections(
  context: BenchContext,
  sections: Readonly<Record<string, Section>>,
): Promise<Table[]> {
  const tables: Table[] = []
  for (const [name, make] of Object.entries(sections)) {
    context.signal.throwIfAborted()
    context.say(`  ${name}`)
    try {
      tables.push(await make())
    } catch (error) {
      context.signal.throwIfAborted()
      const missing = [`${name}: ${(error as Error).message}`]
      tables.push({ title: `${name}: not measured`, rows: [], notes: [], missing })
    }
  }
  return tables
}
