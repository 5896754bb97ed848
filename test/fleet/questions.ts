import type { ChildProcess } from 'node:child_process'

/** Answers of a process to what its parent asks over the channel between them, by name. */
export type Answers = Record<string, (argument: never) => unknown>

interface Question {
  readonly id: number
  readonly ask: string
  readonly argument: unknown
}
interface Answer {
  readonly id: number
  readonly answer?: unknown
  readonly error?: string
}

/** Answers the parent's questions from now on. */
export function answerParent(answers: Answers): void {
  process.on('message', (message: Question) => {
    const reply = (answer: Omit<Answer, 'id'>) => process.send?.({ id: message.id, ...answer })
    Promise.resolve()
      .then(() => answers[message.ask]?.(message.argument as never))
      .then(
        (answer) => reply({ answer }),
        (error: Error) => reply({ error: error.message }),
      )
  })
}

/** Asks a child. Rejects when it says so or has ended. */
export type Ask<A extends Answers> = <Q extends keyof A & string>(
  ask: Q,
  ...argument: Parameters<A[Q]>
) => Promise<Awaited<ReturnType<A[Q]>>>

/** The way to ask a child that answers its parent. */
export function questionsTo<A extends Answers>(child: ChildProcess): Ask<A> {
  const open = new Map<number, PromiseWithResolvers<never>>()
  let last = 0
  child.on('message', ({ id, answer, error }: Answer) => {
    const asked = open.get(id)
    open.delete(id)
    if (error === undefined) asked?.resolve(answer as never)
    else asked?.reject(new Error(error))
  })
  child.on('exit', () => {
    for (const { reject } of open.values()) reject(new Error('The process has ended.'))
  })
  return (ask, ...[argument]) => {
    last += 1
    const asked = Promise.withResolvers<never>()
    open.set(last, asked)
    child.send({ id: last, ask, argument } satisfies Question)
    return asked.promise
  }
}
