import { Button, Group, Modal, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorText } from './error-text.tsx'
import { fieldErrors, type FieldErrors } from './field-errors.ts'

interface FormDialogProps {
  readonly title: string
  /** What the button says. */
  readonly action: string
  readonly isDisabled?: boolean
  readonly onClose: () => void
  /** Closes when it is done, unless it says `stay`; what it throws is shown at its field, or below. */
  readonly onSubmit: (form: HTMLFormElement) => Promise<'stay' | undefined>
  /** The names under which the API knows the fields. */
  readonly fields?: readonly string[]
  readonly children: (errors: FieldErrors) => ReactNode
}

/** Asks for a few things and sends them. */
export function FormDialog(props: FormDialogProps) {
  const { title, action, isDisabled, onClose, onSubmit, fields = [], children } = props
  const work = useMutation({
    mutationFn: onSubmit,
    onSuccess: (what) => {
      if (what !== 'stay') onClose()
    },
  })
  const errors = fieldErrors(work.error, fields)
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      centered
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          work.mutate(event.currentTarget)
        }}
      >
        <Stack gap="sm">
          {children(errors)}
          <ErrorText error={errors.rest} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={work.isPending} disabled={isDisabled}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
