import { guestSkipReason } from './skip-reason.ts'

/** Makes the disks once, before the files that want them start at the same time. */
// oxlint-disable-next-line import/no-default-export -- vitest calls the default export
export default function makeDisks(): void {
  if (guestSkipReason !== undefined) process.stderr.write(`Guests: ${guestSkipReason}\n`)
}
