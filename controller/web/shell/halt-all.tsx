import { Button } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { useMe } from './me.tsx'

const HaltAllDialog = lazy(async () => ({
  default: (await import('./halt-all-dialog.tsx')).HaltAllDialog,
}))

/** Ends what runs, from any page. There for everybody who may. */
export function HaltAll() {
  const { can } = useMe()
  const [isOpen, setOpen] = useState(false)
  if (!can('HALT_WRITE') && !can('HALT_ALL')) return null
  return (
    <>
      <Button color="red.9" size="xs" onClick={() => setOpen(true)}>
        Halt all
      </Button>
      {isOpen && (
        <Suspense>
          <HaltAllDialog onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
