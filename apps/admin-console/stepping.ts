import { useEffect, useEffectEvent } from 'react'

/** J opens the next row and K the one before, wherever the focus is but in a field. */
export function useStepping(
  ids: readonly string[],
  open: string | undefined,
  show: (id: string) => void,
): void {
  const step = useEffectEvent((event: KeyboardEvent) => {
    const to = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0
    if (to === 0 || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.target instanceof HTMLElement && event.target.matches('input, textarea, select')) return
    const next = ids[open === undefined ? 0 : ids.indexOf(open) + to]
    if (next !== undefined) show(next)
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => step(event)
    addEventListener('keydown', listener)
    return () => removeEventListener('keydown', listener)
  }, [])
}
