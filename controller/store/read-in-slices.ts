import { answersOf, type Redis } from './redis.ts'

/** So many answers are read at once; other requests have their turn in between. */
const sliceSize = 250

type Pipeline = ReturnType<Redis['pipeline']>

/** The answers to one question about each item, in their order. @throws Error the first error among them */
export async function readInSlices<T>(
  redis: Redis,
  items: readonly T[],
  ask: (pipeline: Pipeline, item: T) => unknown,
): Promise<unknown[]> {
  const answers: unknown[] = []
  for (let at = 0; at < items.length; at += sliceSize) {
    const pipeline = redis.pipeline()
    for (const item of items.slice(at, at + sliceSize)) ask(pipeline, item)
    for (const answer of await answersOf(pipeline)) answers.push(answer)
  }
  return answers
}
