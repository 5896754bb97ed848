import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { logout } from '../../../shared/api/sessions.ts'
import { useApp } from '../app-context.ts'

/** Ends the session here and on the server. */
export function SignOut() {
  const { api, sessions } = useApp()
  const work = useMutation({
    mutationFn: () => api.call(logout),
    // Forgotten also when the server does not answer: it ends there by itself.
    onSettled: () => sessions.end(),
  })
  return (
    <Button variant="default" size="xs" loading={work.isPending} onClick={() => work.mutate()}>
      Sign out
    </Button>
  )
}
