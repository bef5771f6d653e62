import type { Endpoint } from '@windlass/contracts/endpoint.ts'
import { Button } from '@windlass/ui/button.tsx'
import type { Column } from '@windlass/ui/table.tsx'
import { type ReactNode, useState } from 'react'
import { refresh } from '../../queries.ts'
import { manages } from '../manages.ts'
import { useWorkspace } from '../workspace.tsx'

export interface FormProps {
  onDone(): void
  onClose(): void
}

interface EntryForms<Row> {
  texts: {
    columns: { actions: string }
    add: string
    change: string
    changeWhat(name: string): string
    end: string
    endWhat(name: string): string
  }
  /** What lists the entries: it is read again after a change. */
  listed: Endpoint
  /** @param entry absent: a new one. */
  form(entry: Row | undefined, props: FormProps): ReactNode
  ending(entry: Row, props: FormProps): ReactNode
}

/** What people of compliance do with the entries of a list: the button and the column that open a form, and the open one. */
export function useEntryForms<Row extends { name: string }>({
  texts,
  listed,
  form,
  ending,
}: EntryForms<Row>) {
  const { role } = useWorkspace()
  const [open, setOpen] = useState<{ entry?: Row; ends?: true }>()
  const close = () => setOpen(undefined)
  const props: FormProps = {
    onClose: close,
    onDone: () => {
      close()
      void refresh(listed)
    },
  }
  const actions: Column<Row> = {
    head: texts.columns.actions,
    className: 'text-right whitespace-nowrap',
    cell: entry => (
      <span className="inline-flex gap-2">
        <Button aria-label={texts.changeWhat(entry.name)} onClick={() => setOpen({ entry })}>
          {texts.change}
        </Button>
        <Button
          look="quietDanger"
          aria-label={texts.endWhat(entry.name)}
          onClick={() => setOpen({ entry, ends: true })}
        >
          {texts.end}
        </Button>
      </span>
    ),
  }
  const mayChange = manages(role, 'compliance')
  return {
    columns: mayChange ? [actions] : [],
    add: mayChange && (
      <Button look="primary" onClick={() => setOpen({})}>
        {texts.add}
      </Button>
    ),
    opened: open && (open.entry && open.ends ? ending(open.entry, props) : form(open.entry, props)),
  }
}
