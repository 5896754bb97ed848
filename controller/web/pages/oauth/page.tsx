import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { openOAuthSession } from '../../../../shared/api/oauth.ts'
import { useApp } from '../../app-context.ts'
import { CodeExchange } from '../../parts/code-exchange.tsx'
import { takeDestination } from '../../session/kept-destination.ts'
import { useOneTimeCode } from '../../session/use-one-time-code.ts'

const page = getRouteApi('/users/sso/oauth')

/** Exchanges the code for a session and goes on to where the sign-in began. */
export function OAuthPage() {
  const { api } = useApp()
  const { OAuthSessionCode } = page.useSearch()
  const [destination] = useState(takeDestination)
  const { error } = useOneTimeCode(OAuthSessionCode, destination, (code) =>
    api.anonymous.call(openOAuthSession, { body: { code } }),
  )
  return <CodeExchange title="Sign in with a provider" error={error} />
}
