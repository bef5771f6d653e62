import { useState } from 'react'
import { Button, buttonLook } from '../button.tsx'
import { ErrorNotice } from '../data-screen.tsx'
import { Icon } from '../icons.tsx'
import { Table, type Column, type TableProps } from '../table.tsx'
import { listTexts } from '../list-texts.ts'
import { csvOf, saveFile } from './csv.ts'
import { describeError } from './errors.ts'
import { useHiddenColumns } from './hidden-columns.ts'

interface SavedTableProps<Row> extends TableProps<Row> {
  /** Names the file that rows are saved in, and the choice of columns that this browser remembers. */
  name: string
  /** Reads all rows for the file, where the table has only some. */
  readAll?(): Promise<readonly Row[]>
  /** Columns of the file that the table has no room for. */
  also?: readonly Column<Row>[] | undefined
}

/** A table whose columns can be hidden, and whose rows can be saved as CSV. */
export function SavedTable<Row>({ name, readAll, also = [], ...table }: SavedTableProps<Row>) {
  const { hidden, hide } = useHiddenColumns(name)
  const columns = table.columns.filter(({ head }) => !hidden.has(head))
  const save = async () => {
    const rows = (await readAll?.()) ?? table.rows
    const saved = [...columns, ...also].filter(({ value }) => value)
    const cells = rows.map(row => saved.map(({ value }) => value!(row)?.toString() ?? null))
    saveFile(
      `${name}.csv`,
      csvOf(
        saved.map(({ head }) => head),
        cells,
      ),
    )
  }
  return (
    <>
      <div className="mb-2 flex justify-end gap-2">
        <ColumnChoice columns={table.columns} hidden={hidden} onHide={hide} />
        <SaveButton save={save} />
      </div>
      <Table {...table} columns={columns} />
    </>
  )
}

function SaveButton({ save }: { save(): Promise<void> }) {
  const [state, setState] = useState<'saving' | { error: unknown }>()
  const onClick = async () => {
    setState('saving')
    setState(
      await save().then(
        () => undefined,
        (error: unknown) => ({ error }),
      ),
    )
  }
  return (
    <>
      <Button look="quiet" pending={state === 'saving'} onClick={() => void onClick()}>
        {listTexts.save}
      </Button>
      {typeof state === 'object' && <ErrorNotice failure={describeError(state.error)} />}
    </>
  )
}

interface ColumnChoiceProps<Row> {
  columns: readonly Column<Row>[]
  hidden: ReadonlySet<string>
  onHide(head: string): void
}

function ColumnChoice<Row>({ columns, hidden, onHide }: ColumnChoiceProps<Row>) {
  const choosable = columns.filter(({ value }) => value)
  const [isOpen, setOpen] = useState(false)
  const isLast = choosable.filter(({ head }) => !hidden.has(head)).length === 1
  return (
    <details className="relative max-sm:hidden" onToggle={event => setOpen(event.currentTarget.open)}>
      <summary className={buttonLook('quiet', 'cursor-pointer list-none')}>
        {listTexts.columns} <Icon name="chevron" />
      </summary>
      {isOpen && (
        <fieldset className="absolute right-0 z-20 mt-1 min-w-48 rounded-8 border border-line bg-surface p-2">
          <legend className="sr-only">{listTexts.columns}</legend>
          {choosable.map(({ head }) => (
            <label key={head} className="flex items-center gap-2 px-2 py-1 text-14">
              <input
                type="checkbox"
                className="size-4 accent-accent"
                checked={!hidden.has(head)}
                disabled={isLast && !hidden.has(head)}
                onChange={() => onHide(head)}
              />
              {head}
            </label>
          ))}
        </fieldset>
      )}
    </details>
  )
}
