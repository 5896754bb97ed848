/** A store that keeps sealed secrets; the store of everything lists them all. */
export interface SealedPlace {
  /** Seals anew what is not sealed with the key in use. Gives how many there were. */
  reseal(): Promise<number>
}
