/** The name of what a document has once, in its `components`. */
export interface Reference {
  $ref: string
}

/** What a reference stands for, or the part itself. */
export const resolved = <T extends object>(part: T | Reference, shared: Record<string, T>): T =>
  '$ref' in part ? shared[(part as Reference).$ref.split('/').at(-1)!]! : part
