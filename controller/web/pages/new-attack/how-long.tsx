import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { paramSpecs } from '../../../../shared/attacks/args.ts'
import { lengthWords } from '../../parts/time-words.ts'
import { lengthParam, optionOf } from './draft.ts'
import { FormBlock } from './form-block.tsx'
import type { FormPart } from './form-part.ts'
import { titleOf } from './option-field.tsx'

const usualSeconds = [30, 60, 300, 900, 3600]

/** How long it lasts; for what happens once, that it does. */
export function HowLong({ draft, type, problems, change }: FormPart) {
  const spec = paramSpecs(type).find(({ name }) => name === lengthParam)
  if (spec?.schema.type !== 'integer')
    return (
      <FormBlock title="How long">
        <Text size="sm">{`${type.title} happens once. What is chosen above says when.`}</Text>
      </FormBlock>
    )
  const value = String(optionOf(spec, draft.options))
  const set = (text: string) => change({ options: { ...draft.options, [lengthParam]: text } })
  const isNumber = /^\d{1,8}$/.test(value.trim())
  return (
    <FormBlock title="How long">
      <Stack gap="xs">
        <TextInput
          label={titleOf(spec)}
          description={`${spec.schema.description} 1 s to ${lengthWords(spec.schema.maximum)}.`}
          inputMode="numeric"
          autoComplete="off"
          maw={240}
          value={value}
          error={problems[`option ${lengthParam}`]}
          rightSection={spec.schema.unit}
          rightSectionPointerEvents="none"
          onChange={(event) => set(event.currentTarget.value)}
        />
        <Group gap={6} role="group" aria-label="Usual lengths">
          {usualSeconds.map((seconds) => (
            <Button
              key={seconds}
              size="compact-sm"
              variant={value === String(seconds) ? 'light' : 'default'}
              aria-pressed={value === String(seconds)}
              onClick={() => set(String(seconds))}
            >
              {lengthWords(seconds)}
            </Button>
          ))}
          {isNumber && (
            <Text size="sm" c="dimmed" className="temblor-number">
              {`= ${lengthWords(Number(value))}`}
            </Text>
          )}
        </Group>
      </Stack>
    </FormBlock>
  )
}
