import { TagsInput } from '@mantine/core'

interface PairsInputProps {
  readonly label: string
  readonly hint: string
  readonly value: readonly string[]
  /** Proposed. */
  readonly known: readonly string[]
  readonly problem: string | undefined
  readonly onChange: (value: string[]) => void
}

/** A list of `key=value`, with what there is proposed. */
export function PairsInput({ label, hint, value, known, problem, onChange }: PairsInputProps) {
  return (
    <TagsInput
      label={label}
      description={hint}
      placeholder={value.length === 0 ? 'key=value' : ''}
      clearable
      limit={50}
      value={[...value]}
      data={[...known]}
      error={problem}
      onChange={onChange}
      clearButtonProps={{ 'aria-label': `${label}: clear` }}
    />
  )
}
