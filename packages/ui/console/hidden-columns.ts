import { useState } from 'react'

interface HiddenColumns {
  /** Their heads. */
  hidden: ReadonlySet<string>
  /** Hides a column, or shows it again. */
  hide(head: string): void
}

/** The columns of a table that a person has hidden in this browser. */
export function useHiddenColumns(table: string): HiddenColumns {
  const key = `windlass.hidden-columns.${table}`
  const [hidden, setHidden] = useState(() => stored(key))
  const hide = (head: string) => {
    const changed = new Set(hidden)
    if (!changed.delete(head)) changed.add(head)
    setHidden(changed)
    try {
      localStorage.setItem(key, JSON.stringify([...changed]))
    } catch {
      // Without storage the choice lasts until the page is left.
    }
  }
  return { hidden, hide }
}

function stored(key: string): ReadonlySet<string> {
  try {
    const heads: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return new Set(Array.isArray(heads) ? heads.map(String) : [])
  } catch {
    return new Set()
  }
}
