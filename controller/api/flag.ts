/** Whether a flag of a query is set: clients of the known interface send `true` and `True`. */
export function isYes(text: string | undefined): boolean {
  return text?.toLowerCase() === 'true'
}

/** A flag of a form; undefined where it was not filled in, which an empty field says as well. */
export function flag(value: boolean | string | null | undefined): boolean | undefined {
  const text = String(value ?? '').toLowerCase()
  return text === '' ? undefined : text === 'true'
}
