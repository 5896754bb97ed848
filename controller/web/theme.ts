import { createTheme, type CSSVariablesResolver } from '@mantine/core'

/** Dense and calm: what is looked at is the data. */
export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 8 },
  defaultRadius: 'sm',
  fontFamily:
    'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "Noto Sans", sans-serif',
  fontFamilyMonospace:
    'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", "DejaVu Sans Mono", monospace',
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '1.375rem' }, h2: { fontSize: '1.05rem' } },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // The page has one banner; the head of a dialog is none.
    Modal: { defaultProps: { attributes: { header: { role: 'none' } } } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
  },
})

/** Grey text and placeholders with a contrast of at least 4.5 on every ground they stand on (WCAG 2.2 AA). */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5a626b',
    '--mantine-color-placeholder': '#676f78',
    '--mantine-color-error': '#c92a2a',
  },
  dark: {
    '--mantine-color-dimmed': '#a3a9b0',
    '--mantine-color-placeholder': '#9aa1a8',
    '--mantine-color-error': '#ff8787',
  },
})
