import { hash } from 'node:crypto'
import type { Inventory__Output } from '../../proto/gen/temblor/agent/v1/Inventory.ts'

/**
 * Tells an inventory that says something new from one that is on record: agents send theirs again after each Hello,
 * because something may have changed since, and mostly nothing has.
 */
export class InventoryChanges {
  #recorded: string | undefined

  /** @param first of the Hello, which was written with the claim */
  constructor(first: Inventory__Output | null) {
    this.#recorded = first ? digestOf(first) : undefined
  }

  /** Whether this is not what is on record. */
  isNew(inventory: Inventory__Output): boolean {
    return digestOf(inventory) !== this.#recorded
  }

  recorded(inventory: Inventory__Output): void {
    this.#recorded = digestOf(inventory)
  }
}

function digestOf(inventory: Inventory__Output): string {
  return hash('sha1', JSON.stringify(inventory), 'base64')
}
