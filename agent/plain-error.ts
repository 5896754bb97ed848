/** An error whose message says what is wrong and what to do: people need no stack trace of it. */
export class PlainError extends Error {}
