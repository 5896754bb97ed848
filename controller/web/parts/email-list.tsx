import { TagsInput } from '@mantine/core'

interface EmailListProps {
  readonly label: string
  readonly description: string
  readonly value: readonly string[]
  readonly onChange: (emails: string[]) => void
  /** Addresses to offer. */
  readonly known?: readonly string[]
  readonly error?: string | undefined
}

/** Several email addresses: typed, chosen, or pasted with whatever stands between them. */
export function EmailList(props: EmailListProps) {
  const { label, description, value, onChange, known = [], error } = props
  return (
    <TagsInput
      label={label}
      description={description}
      value={[...value]}
      onChange={(emails) => onChange(emails.map((email) => email.trim()).filter(Boolean))}
      data={known.filter((email) => !value.includes(email))}
      limit={20}
      splitChars={[',', ';', ' ', '\n', '\t']}
      acceptValueOnBlur
      maxTags={100}
      error={error}
      data-autofocus
    />
  )
}
