import { Button, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { logout } from '../../../shared/api/sessions.ts'
import { useApp } from '../app-context.ts'
import { LinkButton } from './link-button.tsx'

/** The way to the sign-in page, also where this browser is signed in as somebody already. */
export function ToSignIn() {
  const { api, sessions } = useApp()
  const router = useRouter()
  const session = sessions.current()
  const work = useMutation({
    mutationFn: () => api.call(logout),
    // It may have ended already, as by the new password.
    onSettled: async () => {
      sessions.end()
      await router.navigate({ to: '/sign-in' })
    },
  })
  if (!session) return <LinkButton to="/sign-in">Sign in</LinkButton>
  return (
    <Stack gap="xs">
      <Text size="sm" className="temblor-given">
        {`This browser is signed in as ${session.email} in ${session.companyName}.`}
      </Text>
      <Button loading={work.isPending} onClick={() => work.mutate()}>
        Sign out there, and sign in
      </Button>
    </Stack>
  )
}
