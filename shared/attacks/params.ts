/**
 * The kinds of parameters that attacks have. Plain data: validation, help, forms and documents are
 * derived from it, and the agent needs no schema library to read it.
 */

/** How a parameter is called and explained wherever people meet it. */
interface Words {
  /** A few words, as the label of a field. */
  readonly title: string
  /** What it does, in a sentence or two. */
  readonly description: string
}

export interface IntegerParam extends Words {
  readonly type: 'integer'
  readonly default: number
  readonly minimum: number
  readonly maximum: number
  readonly unit: string
}

/** Off unless given. */
export interface SwitchParam extends Words {
  readonly type: 'boolean'
  readonly default: false
}

/** What the items of a list are; each kind has its grammar in `items.ts`. */
export type ItemKind = 'address' | 'hostname' | 'port' | 'protocol' | 'device'

/** Repeated or comma-separated; an item with `^` in front is an exclusion. */
export interface ListParam extends Words {
  readonly type: 'list'
  readonly item: ItemKind
  readonly default: readonly string[]
}

export type Param = IntegerParam | SwitchParam | ListParam
export type Params = Readonly<Record<string, Param>>
export type ParamValue = number | boolean | readonly string[]

/** The checked values of these parameters. */
export type Values<P extends Params> = {
  readonly [K in keyof P]: P[K] extends IntegerParam
    ? number
    : P[K] extends SwitchParam
      ? boolean
      : readonly string[]
}
