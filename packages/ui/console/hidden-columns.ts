import { useStored } from './use-stored.ts'

interface HiddenColumns {
  /** Their heads. */
  hidden: ReadonlySet<string>
  /** Hides a column, or shows it again. */
  hide(head: string): void
}

/** The columns of a table that a person has hidden in this browser. */
export function useHiddenColumns(table: string): HiddenColumns {
  const [heads, keep] = useStored(`windlass.hidden-columns.${table}`, readHeads)
  const hide = (head: string) =>
    keep(heads.includes(head) ? heads.filter(each => each !== head) : [...heads, head])
  return { hidden: new Set(heads), hide }
}

const readHeads = (stored: unknown): readonly string[] => (Array.isArray(stored) ? stored.map(String) : [])
