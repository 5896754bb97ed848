/** "1 host", "2 hosts". */
export function countWords(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
