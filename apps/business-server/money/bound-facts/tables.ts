/** The tables that this slice owns. */
export interface BoundFactsTables {
  bound_facts: BoundFactTable
}

/** Proofs of what people and the world decided. Null: a row of an earlier release, which is bound once. */
interface BoundFactTable {
  kind: string
  id: string
  bound: Buffer | null
}
