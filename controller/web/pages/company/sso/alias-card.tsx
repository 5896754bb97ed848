import { Button, Group, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { deleteSamlAlias, type SamlAlias } from '../../../../../shared/api/saml-aliases.ts'
import { companyQuery, teamsQuery } from '../../../api/company.ts'
import { aliasesQuery, aliasQuery } from '../../../api/sso.ts'
import { useApp } from '../../../app-context.ts'
import { Asked } from '../../../parts/asked.tsx'
import { Card } from '../../../parts/card.tsx'
import { ConfirmDanger } from '../../../parts/confirm-danger.tsx'
import { rolesWords } from '../../../parts/role-words.ts'
import { WideTable } from '../../../parts/wide-table.tsx'
import { useMe } from '../../../shell/me.tsx'
import { AliasDialog } from './alias-dialog.tsx'

/** So many are read at first: each is a request. */
const shownAtFirst = 20

/** Groups of the provider that stand for roles here. */
export function AliasCard() {
  const { api } = useApp()
  const { self, can } = useMe()
  const aliases = useQuery(aliasesQuery(api, self.company_id))
  const { data: company } = useQuery(companyQuery(api, self.company_id))
  const [isAdding, setAdding] = useState(false)
  return (
    <Card
      title="Aliases of roles"
      intro="A value of company:roles, such as the name or id of a group, that stands for roles here: whoever signs in with it has these."
      actions={
        can('COMPANY_SAMLCLAIM_ALIAS_WRITE') && (
          <Button size="xs" variant="default" onClick={() => setAdding(true)}>
            New alias
          </Button>
        )
      }
    >
      {company?.authMethodPrefs.samlAliasesEnabled === false && (
        <Text size="sm">
          They have no effect until “Aliases of roles” is on among the authentication preferences.
        </Text>
      )}
      <Asked query={aliases} what="the aliases">
        {({ aliasIds }) => <AliasTable ids={aliasIds} />}
      </Asked>
      {isAdding && <AliasDialog onClose={() => setAdding(false)} />}
    </Card>
  )
}

function AliasTable({ ids }: { readonly ids: readonly string[] }) {
  const [shown, setShown] = useState(shownAtFirst)
  if (ids.length === 0) return <Text size="sm">None yet.</Text>
  return (
    <>
      <WideTable label="Table of aliases" minWidth={480}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Value of the claim</Table.Th>
            <Table.Th>Stands for</Table.Th>
            <Table.Td />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {ids.slice(0, shown).map((id) => (
            <AliasRow key={id} id={id} />
          ))}
        </Table.Tbody>
      </WideTable>
      {ids.length > shown && (
        <Group>
          <Button size="xs" variant="default" onClick={() => setShown(shown + shownAtFirst)}>
            {`Show more of ${ids.length}`}
          </Button>
        </Group>
      )}
    </>
  )
}

function AliasRow({ id }: { readonly id: string }) {
  const { api } = useApp()
  const { self, can } = useMe()
  const alias = useQuery(aliasQuery(api, self.company_id, id))
  const teams = useQuery(teamsQuery(api))
  const [isOpen, setOpen] = useState<'edit' | 'remove'>()
  const close = () => setOpen(undefined)
  const names = new Map((teams.data ?? []).map(({ identifier, name }) => [identifier, name]))
  return (
    <Table.Tr>
      <Table.Td className="temblor-given">{id}</Table.Td>
      <Table.Td className="temblor-given">
        <Asked query={alias} what="the roles">
          {(one) => standsFor(one, names)}
        </Asked>
      </Table.Td>
      <Table.Td>
        {can('COMPANY_SAMLCLAIM_ALIAS_WRITE') && alias.data && (
          <Group gap="xs" justify="flex-end" wrap="nowrap">
            <Button
              size="compact-xs"
              variant="default"
              aria-label={`Change the alias ${id.slice(0, 100)}`}
              onClick={() => setOpen('edit')}
            >
              Change
            </Button>
            <Button
              size="compact-xs"
              variant="default"
              aria-label={`Remove the alias ${id.slice(0, 100)}`}
              onClick={() => setOpen('remove')}
            >
              Remove
            </Button>
          </Group>
        )}
        {isOpen === 'edit' && <AliasDialog present={alias.data} onClose={close} />}
        {isOpen === 'remove' && <RemoveAlias id={id} onClose={close} />}
      </Table.Td>
    </Table.Tr>
  )
}

function standsFor(
  { companyRoles, teamRoles }: SamlAlias,
  names: ReadonlyMap<string, string>,
): string {
  const inTeams = Object.entries(teamRoles).map(
    ([id, roles]) => `${rolesWords(roles)} in ${names.get(id) ?? 'a team that is gone'}`,
  )
  const inCompany = companyRoles.length > 0 ? [`${rolesWords(companyRoles)} in the company`] : []
  return [...inCompany, ...inTeams].join('; ') || 'no role'
}

function RemoveAlias({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { api, queryClient } = useApp()
  const { self } = useMe()
  const remove = async () => {
    const params = { companyId: self.company_id, aliasId: id }
    await api.call(deleteSamlAlias, { params })
    await queryClient.invalidateQueries({ queryKey: ['aliases'] })
  }
  return (
    <ConfirmDanger
      isOpen
      onClose={onClose}
      title={`Remove the alias ${id.slice(0, 100)}?`}
      action="Remove it"
      onConfirm={remove}
    >
      <Text size="sm">
        Whoever has roles by it alone loses them at the next sign-in, or is refused where role
        claims are required.
      </Text>
    </ConfirmDanger>
  )
}
