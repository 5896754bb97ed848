/** An order that no agent has taken after this long is not carried out any more. */
export const startWithinMs = 30_000

/** An execution counts as lost when nothing was heard of it this long after it should be over. */
export const lostAfterMs = 15_000

/** Taking a fault back takes no longer than this, also where an Engine or a disk is slow. */
export const undoWithinMs = 45_000
