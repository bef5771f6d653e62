import { lazy, Suspense, useEffect, useState } from 'react'

const ShortcutList = lazy(() => import('./shortcut-list.tsx'))

/** Opens the list of shortcuts at `?`, unless someone types it into a field. */
export function Shortcuts() {
  const [open, setOpen] = useState(false)
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (event.key !== '?' || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.target instanceof HTMLElement && event.target.closest('input, textarea, select')) return
      event.preventDefault()
      setOpen(true)
    }
    addEventListener('keydown', listener)
    return () => removeEventListener('keydown', listener)
  }, [])
  if (!open) return null
  return (
    <Suspense>
      <ShortcutList onClose={() => setOpen(false)} />
    </Suspense>
  )
}
