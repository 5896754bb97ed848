import { Button, Modal } from '@mantine/core'
import { useState } from 'react'
import { AddHost } from '../../parts/add-host.tsx'

/** How a host joins the team. What is shown is forgotten with the dialog: it holds a secret. */
export function AddHostButton({ teamId }: { readonly teamId: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button size="xs" onClick={() => setOpen(true)}>
        Add a host
      </Button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title="Add a host"
        size="lg"
        centered
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <AddHost teamId={teamId} />
      </Modal>
    </>
  )
}
