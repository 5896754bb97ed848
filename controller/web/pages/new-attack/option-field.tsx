import { Switch, TagsInput, TextInput } from '@mantine/core'
import { defaultText, flagName, type ParamSpec } from '../../../../shared/attacks/args.ts'
import { grammars } from '../../../../shared/attacks/items.ts'
import { optionOf, type Draft } from './draft.ts'

interface OptionFieldProps {
  readonly spec: ParamSpec
  readonly options: Draft['options']
  readonly problem: string | undefined
  readonly onChange: (options: Draft['options']) => void
}

/** The field of one parameter of an attack type, by its kind alone: with unit, limits and default. */
export function OptionField({ spec, options, problem, onChange }: OptionFieldProps) {
  const { name, schema } = spec
  const value = optionOf(spec, options)
  const set = (next: string | boolean | readonly string[]) => onChange({ ...options, [name]: next })
  const label = titleOf(spec)
  if (typeof value === 'boolean')
    return (
      <Switch
        label={label}
        description={schema.description}
        checked={value}
        error={problem}
        onChange={(event) => set(event.currentTarget.checked)}
      />
    )
  if (typeof value === 'string')
    return (
      <TextInput
        label={label}
        description={`${schema.description} ${limitsOf(spec)}`}
        inputMode="numeric"
        autoComplete="off"
        value={value}
        error={problem}
        rightSection={unitOf(spec)}
        rightSectionWidth={56}
        rightSectionPointerEvents="none"
        onChange={(event) => set(event.currentTarget.value)}
      />
    )
  return (
    <TagsInput
      label={label}
      description={`${schema.description} ${limitsOf(spec)}`}
      placeholder={value.length === 0 ? 'all' : ''}
      clearable
      splitChars={[',', ' ']}
      value={[...value]}
      error={problem}
      onChange={set}
      clearButtonProps={{ 'aria-label': `${label}: clear` }}
    />
  )
}

/** With the flag, for whoever knows the command line: "Remote ports (-p)". */
export function titleOf({ flag, schema }: ParamSpec): string {
  return `${schema.title} (${flagName(flag).split('/')[0]})`
}

function unitOf({ schema }: ParamSpec): string | undefined {
  return schema.type === 'integer' ? schema.unit : undefined
}

/** What can stand there, and what does when nothing is said. */
function limitsOf(spec: ParamSpec): string {
  const { schema } = spec
  if (schema.type === 'integer')
    return `${schema.minimum} to ${schema.maximum} ${schema.unit}; ${defaultText(spec)} by default.`
  if (schema.type === 'boolean') return ''
  const words = grammars[schema.item].words
  return `Each ${words}; ^ in front spares it. ${
    schema.default.length > 0 ? `${defaultText(spec)} by default.` : ''
  }`
}
