import { Button, Group, Modal, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorText } from './error-text.tsx'

interface ConfirmDangerProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  /** What is about to happen, naming what it hits: "Halt 3 attacks on 7 hosts". */
  readonly title: string
  readonly children: ReactNode
  /** The same in a word or two, on the button. */
  readonly action: string
  readonly isDisabled?: boolean
  /** Closes when it is done; what it throws is shown. */
  readonly onConfirm: () => Promise<unknown>
}

/** Asks before something that hits others. */
export function ConfirmDanger(props: ConfirmDangerProps) {
  const { isOpen, onClose, title, children, action, isDisabled, onConfirm } = props
  const work = useMutation({ mutationFn: onConfirm, onSuccess: onClose })
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={title}
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          work.mutate()
        }}
      >
        <Stack gap="md">
          {children}
          <ErrorText error={work.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              color="red.9"
              loading={work.isPending}
              disabled={isDisabled}
              data-autofocus
            >
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
