/** The tables that this slice owns. */
export interface BoundFactsTables {
  bound_facts: BoundFactTable
  spent_facts: SpentFactTable
}

/** Proofs of what people and the world decided. Null: a row of an earlier release, which is bound once. */
interface BoundFactTable {
  kind: string
  id: string
  bound: Buffer | null
  /** Null: nobody bound it yet. */
  nonce: string | null
}

/** Proofs that were taken away, as a trigger keeps them. */
interface SpentFactTable {
  bound: Buffer
}
