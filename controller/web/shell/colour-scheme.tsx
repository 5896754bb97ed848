import { NativeSelect, useMantineColorScheme, type MantineColorScheme } from '@mantine/core'

const schemes = [
  { value: 'auto', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]

/** Light, dark, or what the system says. */
export function ColourScheme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <NativeSelect
      label="Appearance"
      size="xs"
      data={schemes}
      value={colorScheme}
      onChange={(event) => setColorScheme(event.currentTarget.value as MantineColorScheme)}
    />
  )
}
