import { useEffect, useState } from 'react'

/** Whether the command palette is open: Ctrl+K or ⌘K opens and closes it. */
export function usePaletteKey(): [open: boolean, setOpen: (open: boolean) => void] {
  const [open, setOpen] = useState(false)
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      // A key that is held down would close what it opened.
      if (event.repeat) return
      setOpen(before => !before)
    }
    addEventListener('keydown', listener)
    return () => removeEventListener('keydown', listener)
  }, [])
  return [open, setOpen]
}
