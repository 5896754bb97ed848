import { Button, FileButton, Group, Stack, Table, Text, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { readSamlIdpMetadata, type SamlIdpMetadata } from '../../../../../shared/api/saml.ts'
import { useApp } from '../../../app-context.ts'
import { ErrorText } from '../../../parts/error-text.tsx'
import { RelativeTime } from '../../../parts/relative-time.tsx'
import { WideTable } from '../../../parts/wide-table.tsx'

interface ImportMetadataProps {
  readonly companyId: string
  readonly onRead: (metadata: SamlIdpMetadata) => void
}

/** Reads the metadata of a provider, to be looked at before they are saved. */
export function ImportMetadata({ companyId, onRead }: ImportMetadataProps) {
  const { api } = useApp()
  const [metadata, setMetadata] = useState('')
  const work = useMutation({
    mutationFn: (xml: string) =>
      api.call(readSamlIdpMetadata, { params: { companyId }, body: { metadata: xml } }),
    onSuccess: onRead,
  })
  const open = async (file: File | null) => {
    if (!file) return
    const text = await file.text()
    setMetadata(text)
    work.mutate(text)
  }
  return (
    <Stack gap="xs">
      <Textarea
        label="Metadata of the provider"
        description="The XML itself, as the provider offers it; nothing is fetched, and nothing saved yet."
        autosize
        minRows={2}
        maxRows={6}
        spellCheck={false}
        value={metadata}
        onChange={(event) => setMetadata(event.currentTarget.value)}
      />
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          disabled={metadata.trim() === ''}
          loading={work.isPending}
          onClick={() => work.mutate(metadata)}
        >
          Read the metadata
        </Button>
        <FileButton accept=".xml,text/xml,application/xml" onChange={(file) => void open(file)}>
          {(props) => (
            <Button size="xs" variant="default" {...props}>
              From a file …
            </Button>
          )}
        </FileButton>
      </Group>
      <ErrorText error={work.error} />
      {work.data && <Certificates metadata={work.data} />}
    </Stack>
  )
}

function Certificates({ metadata }: { readonly metadata: SamlIdpMetadata }) {
  return (
    <>
      <Text size="sm" role="status">
        Read, and filled in below. Compare the certificates, then save.
      </Text>
      <WideTable label="Certificates in the metadata" minWidth={520}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Certificate</Table.Th>
            <Table.Th>Ends</Table.Th>
            <Table.Th>SHA-256</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {metadata.certificates.map(({ sha256, subject, notAfter }) => (
            <Table.Tr key={sha256}>
              <Table.Td className="temblor-given">{subject}</Table.Td>
              <Table.Td>
                <RelativeTime at={notAfter} />
              </Table.Td>
              <Table.Td className="temblor-given" ff="monospace" fz="xs">
                {sha256}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
    </>
  )
}
