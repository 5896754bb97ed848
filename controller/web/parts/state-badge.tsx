type Tone = 'good' | 'waiting' | 'halted' | 'bad'

/** A state by name, and by colour and shape as well. */
export function StateBadge({ tone, children }: { readonly tone: Tone; readonly children: string }) {
  return (
    <span className="temblor-stage" data-tone={tone}>
      {children}
    </span>
  )
}
