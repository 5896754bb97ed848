import { useNow } from './now.ts'
import { exactWords, relativeWords } from './time-words.ts'

/** How long ago, with the exact time on hover. */
export function RelativeTime({ at }: { readonly at: string }) {
  const now = useNow()
  return (
    <time dateTime={at} title={`${exactWords(at)} (${at})`}>
      {relativeWords(Date.parse(at), now)}
    </time>
  )
}
