import { stripVTControlCharacters } from 'node:util'

/** Lays out rows in columns, two spaces apart; numbers to the right. The first row is the heading. */
export function formatTable(rows: readonly (readonly string[])[]): string[] {
  const [heading = [], ...body] = rows
  const columns = heading.map((_, index) => ({
    width: Math.max(...rows.map((row) => visibleWidth(row[index] ?? ''))),
    right:
      body.length > 0 &&
      body.every((row) => /^[\d.,:%+\-– ]*( ?(s|ms|%))?$/.test(row[index] ?? '')),
  }))
  return rows.map((row) =>
    columns
      .map(({ width, right }, index) => {
        const cell = row[index] ?? ''
        const padding = ' '.repeat(width - visibleWidth(cell))
        return right ? padding + cell : cell + padding
      })
      .join('  ')
      .trimEnd(),
  )
}

function visibleWidth(text: string): number {
  return stripVTControlCharacters(text).length
}
