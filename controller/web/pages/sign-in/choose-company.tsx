import { Button, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { signInWithPassword, type Credentials, type Standing } from '../../api/sign-in.ts'
import { useApp } from '../../app-context.ts'
import { ErrorText } from '../../parts/error-text.tsx'

interface ChooseCompanyProps {
  readonly given: Credentials
  readonly names: readonly string[]
  readonly onDone: (standing: Standing, given: Credentials) => void
  readonly onBack: () => void
}

/** For who has teams of several companies: a session is of one. */
export function ChooseCompany({ given, names, onDone, onBack }: ChooseCompanyProps) {
  const { api } = useApp()
  const work = useMutation({
    mutationFn: async (companyName: string) => {
      const credentials = { ...given, companyName }
      onDone(await signInWithPassword(api, credentials), credentials)
    },
  })
  return (
    <Stack gap="sm">
      {names.map((name) => (
        <Button
          key={name}
          variant="default"
          loading={work.isPending && work.variables === name}
          onClick={() => work.mutate(name)}
        >
          {name}
        </Button>
      ))}
      <ErrorText error={work.error} />
      <Button variant="subtle" onClick={onBack}>
        Back
      </Button>
    </Stack>
  )
}
