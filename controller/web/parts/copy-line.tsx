import { Box, Button, Code, Group } from '@mantine/core'
import { useRef, useState } from 'react'

/** A line to copy. `label` says to those who do not see it what it is. */
export function CopyLine({ text, label }: { readonly text: string; readonly label: string }) {
  const line = useRef<HTMLElement>(null)
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    setCopied(await copyText(text, line.current))
  }
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start" w="100%">
      <Box flex={1} miw={0}>
        <Code block ref={line as never} tabIndex={0} aria-label={label} role="region">
          {text}
        </Code>
      </Box>
      <Button
        variant="default"
        size="compact-sm"
        aria-label={`Copy: ${label}`}
        onClick={() => void copy()}
        onBlur={() => setCopied(false)}
      >
        {isCopied ? 'Copied' : 'Copy'}
      </Button>
      <span role="status" className="mantine-visually-hidden">
        {isCopied ? 'Copied' : ''}
      </span>
    </Group>
  )
}

/** Browsers have a clipboard on https only; elsewhere the line is chosen, for Ctrl-C. */
async function copyText(text: string, shown: HTMLElement | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    if (shown) getSelection()?.selectAllChildren(shown)
    return false
  }
}
