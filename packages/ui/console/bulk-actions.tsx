import { describeError } from './errors.ts'
import { useRef, useState } from 'react'
import { Button } from '../button.tsx'
import { TextAreaField } from '../field.tsx'
import { FormActions, FormShell, useForm } from '../form.tsx'
import { Status } from '../notice.tsx'
import type { Column } from '../table.tsx'
import { bulk as texts } from './bulk-texts.ts'

interface Selectable<Row> {
  rows: readonly Row[]
  keyOf(row: Row): string
  nameOf(row: Row): string
  isSelectable(row: Row): boolean
}

interface Selection<Row> {
  /** The chosen rows that are still listed and selectable. */
  chosen: readonly Row[]
  column: Column<Row>
  nameOf(row: Row): string
  clear(): void
}

/** Rows chosen for an action on several of them, and the column of their check boxes. */
export function useSelection<Row>({ rows, keyOf, nameOf, isSelectable }: Selectable<Row>): Selection<Row> {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set())
  const toggle = (key: string): void => {
    const next = new Set(keys)
    if (!next.delete(key)) next.add(key)
    setKeys(next)
  }
  const column: Column<Row> = {
    head: texts.select,
    className: 'max-sm:order-last',
    cell: row =>
      isSelectable(row) && (
        // Above the row's link, which covers the whole row.
        <label className="relative z-10 -m-2 inline-flex p-2">
          <input
            type="checkbox"
            aria-label={texts.selectRow(nameOf(row))}
            checked={keys.has(keyOf(row))}
            onChange={() => toggle(keyOf(row))}
            className="size-4 accent-accent"
          />
        </label>
      ),
  }
  return {
    chosen: rows.filter(row => isSelectable(row) && keys.has(keyOf(row))),
    column,
    nameOf,
    clear: () => setKeys(new Set()),
  }
}

export interface BulkAction<Row> {
  /** The button, such as "Approve". */
  name: string
  /** The result of a row where it succeeded, such as "Approved". */
  done: string
  applies(row: Row): boolean
  run(row: Row, reason: string): Promise<unknown>
  /** Asked for once and given to every row. */
  reason?: { label: string; hint: string; missing: string }
}

interface Result {
  name: string
  status: 'done' | 'failed' | 'skipped'
  text: string
}

interface BulkBarProps<Row> {
  selection: Selection<Row>
  actions: readonly BulkAction<Row>[]
  /** After the last row. */
  onEnd(): Promise<unknown>
}

/** What can be done with the chosen rows, and the result of each. Nothing while there is neither. */
export function BulkBar<Row>({ selection, actions, onEnd }: BulkBarProps<Row>) {
  const { chosen, nameOf, clear } = selection
  const [asking, setAsking] = useState<BulkAction<Row>>()
  const [running, setRunning] = useState<string>()
  const [results, setResults] = useState<readonly Result[]>([])
  const bar = useRef<HTMLElement>(null)

  const run = async (action: BulkAction<Row>, reason: string): Promise<void> => {
    if (running !== undefined) return
    setAsking(undefined)
    setRunning(action.name)
    setResults([])
    await forEachRow(chosen.filter(action.applies), row => action.run(row, reason), {
      report: (row, { status, text = action.done }) =>
        setResults(before => [...before, { name: nameOf(row), status, text }]),
    })
    clear()
    await onEnd().catch(() => undefined)
    setRunning(undefined)
    // The button that was pressed goes away. Someone who moved on keeps their place.
    const focused = document.activeElement
    if (focused === document.body || bar.current?.contains(focused)) bar.current?.focus()
  }

  // Nothing is asked about an action while no chosen row takes it.
  const asked = asking && chosen.some(asking.applies) ? asking : undefined
  if (chosen.length === 0 && results.length === 0 && running === undefined) return null
  return (
    <section
      ref={bar}
      tabIndex={-1}
      data-quiet-focus
      aria-label={texts.title}
      className="space-y-4 rounded-8 border border-line bg-surface px-4 py-3"
    >
      {(chosen.length > 0 || running !== undefined) && !asked && (
        <div className="flex flex-wrap items-center gap-2">
          <p className="mr-2 text-14 font-medium tabular">{texts.chosen(chosen.length)}</p>
          {actions.map(action => {
            const count = chosen.filter(action.applies).length
            const isRunning = running === action.name
            if (count === 0 && !isRunning) return null
            return (
              <Button
                key={action.name}
                pending={isRunning}
                disabled={running !== undefined && !isRunning}
                onClick={() => (action.reason ? setAsking(action) : void run(action, ''))}
              >
                {texts.act(action.name, count)}
              </Button>
            )
          })}
          <Button look="quiet" disabled={running !== undefined} onClick={clear}>
            {texts.clear}
          </Button>
        </div>
      )}
      {asked?.reason && (
        <ReasonForm
          key={asked.name}
          reason={asked.reason}
          confirm={texts.act(asked.name, chosen.filter(asked.applies).length)}
          onReason={reason => void run(asked, reason)}
          onCancel={() => setAsking(undefined)}
        />
      )}
      {results.length > 0 && (
        <div className="space-y-2">
          <ul aria-live="polite" aria-label={texts.results} className="divide-y divide-line text-14">
            {results.map(({ name, status, text }, index) => (
              <li key={index} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5">
                <Status tone={status === 'done' ? 'good' : status === 'failed' ? 'bad' : 'neutral'}>
                  {status === 'done' ? text : texts[status]}
                </Status>
                <strong className="min-w-0 font-medium wrap-anywhere">{name}</strong>
                {status === 'failed' && <span className="text-soft">{text}</span>}
              </li>
            ))}
          </ul>
          {running === undefined && (
            <Button look="quiet" onClick={() => setResults([])}>
              {texts.hide}
            </Button>
          )}
        </div>
      )}
    </section>
  )
}

interface Reporting<Row> {
  report(row: Row, result: { status: Result['status']; text?: string }): void
}

/** One row after another. Where a session has ended or a confirmation was declined, the rest is left as it is. */
async function forEachRow<Row>(
  rows: readonly Row[],
  run: (row: Row) => Promise<unknown>,
  { report }: Reporting<Row>,
): Promise<void> {
  let stopped = false
  for (const row of rows) {
    if (stopped) {
      report(row, { status: 'skipped', text: '' })
      continue
    }
    try {
      await run(row)
      report(row, { status: 'done' })
    } catch (error) {
      const { kind, title, detail } = describeError(error)
      stopped = kind === 'expired' || kind === 'forbidden'
      report(row, { status: 'failed', text: `${title}. ${detail}` })
    }
  }
}

interface ReasonFormProps {
  reason: { label: string; hint: string; missing: string }
  confirm: string
  onReason(reason: string): void
  onCancel(): void
}

function ReasonForm({ reason, confirm, onReason, onCancel }: ReasonFormProps) {
  const form = useForm({
    initial: { reason: '' },
    check: values => (values.reason.trim() === '' ? { reason: reason.missing } : {}),
    send: values => onReason(values.reason.trim()),
  })
  return (
    <FormShell form={form} className="space-y-3">
      <TextAreaField name="reason" label={reason.label} hint={reason.hint} rows={3} maxLength={2000} />
      <FormActions onCancel={onCancel}>
        <Button type="submit" look="danger" pending={form.pending}>
          {confirm}
        </Button>
      </FormActions>
    </FormShell>
  )
}
