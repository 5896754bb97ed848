/** Whether a flag of a query is set: clients of the known interface send `true` and `True`. */
export function isYes(flag: string | undefined): boolean {
  return flag?.toLowerCase() === 'true'
}
