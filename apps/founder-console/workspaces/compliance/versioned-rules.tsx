import { describeError } from '@windlass/ui/console/errors.ts'
import type { UseQueryResult } from '@tanstack/react-query'
import { Bar } from '@windlass/ui/bar.tsx'
import { Button } from '@windlass/ui/button.tsx'
import { DataScreen } from '@windlass/ui/data-screen.tsx'
import { SectionHeading } from '@windlass/ui/page.tsx'
import { type ComponentType, type ReactNode, useState } from 'react'
import { manages } from '../manages.ts'
import { useWorkspace } from '../workspace.tsx'

export interface ChangeProps<Current> {
  current: Current
  onDone(): void
  onClose(): void
}

interface Props<Current> {
  texts: { title: string; lead: string; change: string }
  /** Every version, the newest first. */
  found: UseQueryResult<{ history: Current[] }>
  /** Reads them again. */
  refresh(): void
  /** What counts now. */
  show(newest: Current): ReactNode
  form: ComponentType<ChangeProps<Current>>
}

/** Rules that people change as a whole: what counts now, and a form for those who manage compliance. */
export function VersionedRules<Current>({ texts, found, refresh, show, form: Form }: Props<Current>) {
  const { role } = useWorkspace()
  const [isChanging, setChanging] = useState(false)
  const current = found.data?.history[0]
  const close = () => setChanging(false)
  const done = () => {
    close()
    refresh()
  }
  return (
    <section className="space-y-4">
      <SectionHeading
        title={texts.title}
        lead={texts.lead}
        actions={
          manages(role, 'compliance') &&
          current && <Button onClick={() => setChanging(true)}>{texts.change}</Button>
        }
      />
      <DataScreen query={found} explain={describeError} skeleton={<Bar className="h-12" />}>
        {({ history: [newest] }) => newest && show(newest)}
      </DataScreen>
      {isChanging && current && <Form current={current} onDone={done} onClose={close} />}
    </section>
  )
}
