import { Button, Center, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import type { MfaSecret } from '../../../shared/api/mfa.ts'
import { CopyLine } from './copy-line.tsx'
import { ErrorText } from './error-text.tsx'
import { formText } from './form-text.ts'
import { Loading } from './loading.tsx'

interface AuthenticatorFormProps {
  readonly begin: () => Promise<MfaSecret>
  /** Proves the secret with a code and gives the recovery codes. */
  readonly finish: (code: string) => Promise<readonly string[]>
  readonly onDone: (recoveryCodes: readonly string[]) => void
}

/** Sets an authenticator up: the QR code, the secret to type, and the first code. */
export function AuthenticatorForm({ begin, finish, onDone }: AuthenticatorFormProps) {
  const id = useId()
  // Asking again gives another secret: it is asked for once.
  const secret = useQuery({
    queryKey: ['authenticator', id],
    queryFn: begin,
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  const proof = useMutation({ mutationFn: finish, onSuccess: onDone })
  if (secret.isPending) return <Loading what="the secret" />
  if (secret.error) return <ErrorText error={secret.error} />
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        proof.mutate(formText(event.currentTarget, 'code').replaceAll(' ', ''))
      }}
    >
      <Stack gap="sm">
        <Text size="sm">Scan this with an authenticator app, or type the secret into it.</Text>
        <Center>
          <img src={secret.data.qrUrl} width={200} height={200} alt="QR code with the secret" />
        </Center>
        <CopyLine label="Secret" text={secret.data.secretKey} />
        <TextInput
          label="The code that it shows"
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          maxLength={40}
        />
        <ErrorText error={proof.error} />
        <Button type="submit" loading={proof.isPending}>
          Switch it on
        </Button>
      </Stack>
    </form>
  )
}
