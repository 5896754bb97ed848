import { useQuery } from '@tanstack/react-query'
import { companyQuery } from '../../api/company.ts'
import { useApp } from '../../app-context.ts'
import { useMe } from '../../shell/me.tsx'

/** What the company says about keys. */
export function useKeyRules() {
  const { api } = useApp()
  const { data } = useQuery(companyQuery(api, useMe().self.company_id))
  const preferences = data?.authMethodPrefs
  return {
    areOff: preferences?.apiKeysEnabled === false,
    /** The longest that a key may live; undefined for no limit. */
    limitSeconds: preferences?.apiKeysMaxSecondsToExpireEnabled
      ? preferences.apiKeysMaxSecondsToExpire
      : undefined,
  }
}
