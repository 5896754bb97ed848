import { Group, Radio, SimpleGrid, Stack, Text } from '@mantine/core'
import { paramSpecs } from '../../../../shared/attacks/args.ts'
import type { AttackType } from '../../../../shared/attacks/define.ts'
import { attackTypeNames, findAttackType } from '../../../../shared/attacks/index.ts'
import { useMe } from '../../shell/me.tsx'
import { lengthParam, type Draft } from './draft.ts'
import { FormBlock } from './form-block.tsx'
import type { FormPart } from './form-part.ts'
import { OptionField } from './option-field.tsx'

const types = attackTypeNames.flatMap((name) => findAttackType(name) ?? [])

/** What is done to them: the type, and every option that it has. */
export function What({ draft, type, problems, change }: FormPart) {
  const specs = paramSpecs(type).filter(({ name }) => name !== lengthParam)
  return (
    <FormBlock title="What">
      <Stack gap="md">
        <Radio.Group
          aria-label="Attack type"
          value={draft.type}
          onChange={(name) => change({ type: name })}
        >
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
            {types.map((one) => (
              <TypeCard key={one.type} type={one} draft={draft} />
            ))}
          </SimpleGrid>
        </Radio.Group>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
          {specs.map((spec) => (
            <OptionField
              key={`${type.type} ${spec.name}`}
              spec={spec}
              options={draft.options}
              problem={problems[`option ${spec.name}`]}
              onChange={(options) => change({ options })}
            />
          ))}
        </SimpleGrid>
        <Text size="xs" c="dimmed">
          {`What a host needs for it: ${type.needs.join('; ')}.`}
        </Text>
      </Stack>
    </FormBlock>
  )
}

function TypeCard({ type, draft }: { readonly type: AttackType; readonly draft: Draft }) {
  const { can } = useMe()
  const why = whyNot(type, draft, can)
  return (
    <Radio.Card value={type.type} p="xs" disabled={why !== undefined} aria-label={type.title}>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <Radio.Indicator mt={3} size="xs" disabled={why !== undefined} />
        <div>
          <Text size="sm" fw={600}>
            {type.title}
          </Text>
          <Text size="xs" c="dimmed">
            {why ?? type.summary}
          </Text>
        </div>
      </Group>
    </Radio.Card>
  )
}

function whyNot(
  { targets, privilege }: AttackType,
  { kind }: Draft,
  can: ReturnType<typeof useMe>['can'],
): string | undefined {
  if (!can(privilege)) return `Your roles in this team lack ${privilege}.`
  return targets.includes(kind) ? undefined : `Not for ${kind === 'Host' ? 'hosts' : 'containers'}.`
}
