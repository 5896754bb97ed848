import { Group, Text } from '@mantine/core'

interface PairsProps {
  readonly pairs: Readonly<Record<string, string>>
  /** More than these are counted. */
  readonly most?: number
}

/** Tags or labels, each `key=value` on a line of its own width, cut where there is no more room. */
export function Pairs({ pairs, most = Infinity }: PairsProps) {
  const all = Object.entries(pairs).sort(([a], [b]) => a.localeCompare(b))
  return (
    <Group gap={4} component="span" miw={0}>
      {all.slice(0, most).map(([key, value]) => (
        <span
          key={key}
          className="temblor-pair temblor-clipped"
          title={`${key}=${value}`.slice(0, 500)}
        >
          <Text span c="dimmed" size="xs">
            {`${key}=`}
          </Text>
          {value}
        </span>
      ))}
      {all.length > most && (
        <Text span size="xs" c="dimmed">
          {`and ${all.length - most} more`}
        </Text>
      )}
    </Group>
  )
}
