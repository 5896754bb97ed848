import { Anchor, Button, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, Ref } from 'react'

type AnchorAttributes = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof ButtonProps>

function AnchorButton(props: ButtonProps & AnchorAttributes & { ref?: Ref<HTMLAnchorElement> }) {
  return <Button component="a" {...props} />
}

/** A button that leads to another page. */
export const LinkButton = createLink(AnchorButton)

/** A link to another page. */
export const LinkText = createLink(Anchor<'a'>)
