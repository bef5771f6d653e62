/** What wakes the workers at once; each also looks by itself every now and then. */
export interface Bells {
  /** The SEP server has something to be told. */
  calls(): void
  /** The ledger has something to be paid. */
  payments(): void
  /** A rail has an order. */
  orders(): void
  /** A customer of the centre stands differently. */
  identified(centralId: string | null): void
}

export const silentBells: Bells = {
  calls: () => undefined,
  payments: () => undefined,
  orders: () => undefined,
  identified: () => undefined,
}
