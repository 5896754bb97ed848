import { Alert, List, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { AttackPreview } from '../../../../shared/api/attacks.ts'
import { countWords } from '../../parts/count-words.ts'
import { ErrorText } from '../../parts/error-text.tsx'
import { Loading } from '../../parts/loading.tsx'
import { drawnWords, radiusWords } from './blast-words.ts'
import { FormBlock } from './form-block.tsx'
import type { LivePreview } from './use-preview.ts'

/** More than these are counted. */
const shownTargets = 20

interface BlastRadiusProps {
  readonly preview: LivePreview
  /** Whether nothing in the form is marked. */
  readonly isSound: boolean
  readonly children: ReactNode
}

/** Whom the attack would hit at this moment, and who is spared and why. */
export function BlastRadius({ preview, isSound, children }: BlastRadiusProps) {
  const { data, error, isCurrent, retry } = preview
  return (
    <FormBlock title="Blast radius">
      <Stack gap="sm">
        <ErrorText error={error} retry={retry} />
        {!isSound && (
          <Text size="sm">Correct what is marked; then it is shown who would be hit.</Text>
        )}
        {isSound && !data && !error && <Loading what="who would be hit" />}
        {isSound && data && (
          <Stack gap="sm" opacity={isCurrent ? 1 : 0.6} aria-busy={!isCurrent}>
            <Reach data={data} />
          </Stack>
        )}
        {children}
      </Stack>
    </FormBlock>
  )
}

function Reach({ data }: { readonly data: AttackPreview }) {
  const cannot = data.would_hit.filter((one) => one.cannot !== null).length
  return (
    <>
      <Text role="status" fw={600}>{`This hits ${radiusWords(data)}.`}</Text>
      {drawnWords(data) && <Text size="sm">{drawnWords(data)}</Text>}
      {data.problem && (
        <Alert color="red" variant="outline" p="xs" role="alert">
          <Text size="sm" className="temblor-given">
            {data.problem}
          </Text>
        </Alert>
      )}
      {cannot > 0 && (
        <Text size="sm" c="var(--mantine-color-error)">
          {`${cannot} of these ${countWords(data.would_hit.length, 'target')} cannot do it; see below why.`}
        </Text>
      )}
      <Hit rows={data.would_hit} />
      <Spared rows={data.would_not_hit} />
      {data.warnings.map((warning) => (
        <Alert key={warning} color="orange" variant="outline" p="xs">
          <Text size="sm">{warning}</Text>
        </Alert>
      ))}
    </>
  )
}

function Hit({ rows }: { readonly rows: AttackPreview['would_hit'] }) {
  if (rows.length === 0) return null
  return (
    <List size="sm" aria-label="Would be hit" spacing={2}>
      {rows.slice(0, shownTargets).map(({ client_id, guest_id, guest_name, cannot }) => (
        <List.Item key={`${client_id} ${guest_id ?? ''}`} className="temblor-given">
          {nameOf(client_id, guest_name ?? guest_id)}
          {cannot !== null && (
            <Text size="sm" c="var(--mantine-color-error)">
              {`Cannot do it: ${cannot}`}
            </Text>
          )}
        </List.Item>
      ))}
      {rows.length > shownTargets && (
        <List.Item>{`and ${countWords(rows.length - shownTargets, 'more target')}`}</List.Item>
      )}
    </List>
  )
}

function Spared({ rows }: { readonly rows: AttackPreview['would_not_hit'] }) {
  if (rows.length === 0) return null
  return (
    <details className="temblor-details">
      <summary>{`Not hit: ${rows.length}`}</summary>
      <List size="sm" spacing={2}>
        {rows.slice(0, shownTargets).map(({ client_id, guest_id, reason, explanation }) => (
          <List.Item key={`${client_id} ${guest_id ?? ''} ${reason}`} className="temblor-given">
            {`${nameOf(client_id, guest_id?.slice(0, 12) ?? null)}: ${explanation}`}
          </List.Item>
        ))}
        {rows.length > shownTargets && (
          <List.Item>{`and ${countWords(rows.length - shownTargets, 'more target')}`}</List.Item>
        )}
      </List>
    </details>
  )
}

function nameOf(host: string, container: string | null): string {
  return container === null ? host : `${host}/${container}`
}
