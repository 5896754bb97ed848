/** What people gave is repeated up to this many characters. */
const shownCharacters = 100

/** A text that was given, cut to a length that an answer can hold. */
export function shortened(text: string): string {
  if (text.length <= shownCharacters) return text
  // Not between the halves of one character.
  const start = text.slice(0, shownCharacters).replace(/[\uD800-\uDBFF]$/, '')
  return `${start}… (${text.length} characters)`
}

/** A text that was given, as part of a sentence: cut, and nothing in it acts on a terminal. */
export function printable(text: string): string {
  return JSON.stringify(shortened(text))
    .slice(1, -1)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`)
}

/** The same between quotation marks. */
export function quoted(text: string): string {
  return `"${printable(text)}"`
}
