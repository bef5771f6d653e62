import { useState } from 'react'

/** A value that this browser keeps; without storage it lasts until the page is left. `read` takes whatever is stored. */
export function useStored<Value>(
  key: string,
  read: (stored: unknown) => Value,
): [value: Value, keep: (value: Value) => void] {
  const [value, setValue] = useState(() => read(stored(key)))
  const keep = (changed: Value) => {
    setValue(changed)
    try {
      localStorage.setItem(key, JSON.stringify(changed))
    } catch {
      // Nothing is lost but the memory of it.
    }
  }
  return [value, keep]
}

function stored(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null')
  } catch {
    return null
  }
}
