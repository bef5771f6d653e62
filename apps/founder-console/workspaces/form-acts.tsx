import { Button } from '@windlass/ui/button.tsx'
import type { ReactNode } from 'react'
import { workspace } from '../texts/workspace.ts'

/** The foot of a form in a side panel: its act, and the way out. */
export function FormActs({ children, onClose }: { children: ReactNode; onClose(): void }) {
  return (
    <div className="flex flex-wrap gap-2">
      {children}
      <Button look="quiet" onClick={onClose}>
        {workspace.keys.cancel}
      </Button>
    </div>
  )
}
