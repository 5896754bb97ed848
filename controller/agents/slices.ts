/**
 * Does work for each item that it is given: for the first of a turn of the event loop at once, for more in
 * slices with other events between, so that something for thousands of agents holds nothing else up. An item
 * that waits already is not done twice.
 */
export function inSlices<T>(size: number, work: (item: T) => void): (item: T) => void {
  const waiting = new Set<T>()
  let left = size
  let isScheduled = false
  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(turn)
  }
  const turn = (): void => {
    isScheduled = false
    left = size
    for (const item of waiting) {
      if (left === 0) break
      waiting.delete(item)
      left -= 1
      work(item)
    }
    if (left < size) schedule()
  }
  return (item) => {
    schedule()
    if (left === 0 || waiting.size > 0) {
      waiting.add(item)
      return
    }
    left -= 1
    work(item)
  }
}
