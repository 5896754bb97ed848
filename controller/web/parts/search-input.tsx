import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'

interface SearchInputProps {
  readonly label: string
  readonly value: string | undefined
  /** Undefined when nothing stands there. */
  readonly onSearch: (text: string | undefined) => void
}

/** Until somebody has typed to the end. */
const settleMs = 250

/** A text to search for, which stands in the address: told when one stops typing. */
export function SearchInput({ label, value = '', onSearch }: SearchInputProps) {
  const [text, setText] = useState(value)
  const told = useRef(value)
  const tell = useDebouncedCallback((next: string) => {
    told.current = next
    onSearch(next || undefined)
  }, settleMs)
  // Another one by Back or a link.
  useEffect(() => {
    if (value === told.current) return
    told.current = value
    setText(value)
  }, [value])
  return (
    <TextInput
      label={label}
      size="xs"
      type="search"
      maxLength={200}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value)
        tell(currentTarget.value)
      }}
    />
  )
}
