/** A team as these pages need it. */
export interface TeamOf {
  readonly identifier: string
  readonly name: string
}
