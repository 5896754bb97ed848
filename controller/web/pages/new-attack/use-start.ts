import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'
import { createAttack, type CreateAttackBody } from '../../../../shared/api/attacks.ts'
import { randomKey } from '../../api/random-key.ts'
import { useApp } from '../../app-context.ts'

/** Starts the attack of the form and leads to its page. */
export interface Start {
  readonly run: () => Promise<void>
  readonly isPending: boolean
  /** Why the form as it stands was refused. */
  readonly error: unknown
}

/**
 * However often the button is pressed, and also when an answer is lost on the way: the key of a request stays
 * the same until another one stands in the form, so that it makes one attack.
 */
export function useStart(teamId: string, body: CreateAttackBody | undefined): Start {
  const { api, queryClient } = useApp()
  const navigate = useNavigate()
  const text = body && JSON.stringify(body)
  const sent = useRef<{ readonly text: string; readonly key: string }>(undefined)
  const work = useMutation({
    mutationFn: async (request: string) => {
      if (sent.current?.text !== request) sent.current = { text: request, key: randomKey() }
      return await api.call(createAttack, {
        query: { teamId },
        body: JSON.parse(request) as CreateAttackBody,
        headers: { 'idempotency-key': sent.current.key },
      })
    },
    onSuccess: async (id) => {
      void queryClient.invalidateQueries({ queryKey: ['attacks', teamId] })
      await navigate({
        to: '/attacks/$id',
        params: { id: id.trim() },
        search: ({ team }) => ({ team }),
      })
    },
  })
  return {
    run: async () => {
      if (text !== undefined) await work.mutateAsync(text)
    },
    isPending: work.isPending,
    error: work.variables === text ? work.error : null,
  }
}
