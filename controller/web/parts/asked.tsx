import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorText } from './error-text.tsx'
import { Loading } from './loading.tsx'

interface AskedProps<T> {
  readonly query: UseQueryResult<T>
  /** What is asked for: "your keys". */
  readonly what: string
  readonly children: (data: T) => ReactNode
}

/** What the API was asked for: on its way, refused with a way to try again, or there. */
export function Asked<T>({ query, what, children }: AskedProps<T>) {
  const { data, error, isPending, refetch } = query
  return (
    <>
      {isPending && <Loading what={what} />}
      <ErrorText error={error} retry={() => void refetch()} />
      {data !== undefined && children(data)}
    </>
  )
}
