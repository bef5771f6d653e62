import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

export interface Column<Row> {
  head: string
  cell(row: Row): ReactNode
  /** Aligned right. */
  numeric?: boolean
  /** On phones, where the header row is hidden, the value is preceded by the column's name. */
  named?: boolean
  className?: string
}

interface TableProps<Row> {
  /** For screen readers; the visible heading is above the table. */
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf(row: Row): string
  /** Whether the row is open beside the table. */
  isCurrent?(row: Row): boolean
}

/**
 * Rows of 40 px; on phones each row is a card. A link with the class `rowLink` in one of the cells makes the
 * whole row clickable.
 */
export function Table<Row>({ caption, columns, rows, keyOf, isCurrent }: TableProps<Row>) {
  return (
    <div className="overflow-hidden rounded-8 border border-line bg-surface">
      <table className="w-full text-14">
        <caption className="sr-only">{caption}</caption>
        <thead className="max-sm:sr-only">
          <tr className="border-b border-line text-left text-13 text-soft">
            {columns.map(column => (
              <th
                key={column.head}
                scope="col"
                className={classNames(
                  'px-3 py-2 font-medium first:pl-4 last:pr-4',
                  column.numeric && 'text-right',
                  column.className,
                )}
              >
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map(row => (
            <tr
              key={keyOf(row)}
              className={classNames(
                'relative h-10 transition-colors duration-100 hover:bg-hover max-sm:flex max-sm:h-auto max-sm:flex-wrap max-sm:items-center max-sm:gap-x-3 max-sm:gap-y-1 max-sm:px-4 max-sm:py-3',
                isCurrent?.(row) && 'bg-accent-tint',
              )}
            >
              {columns.map(column => (
                <Cell key={column.head} column={column}>
                  {column.cell(row)}
                </Cell>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Without a value it takes no room on phones, nor does its column's name. */
function Cell<Row>({ column, children }: { column: Column<Row>; children: ReactNode }) {
  const isEmpty = children === null || children === undefined || children === ''
  return (
    <td
      className={classNames(
        'px-3 py-1.5 first:pl-4 last:pr-4 max-sm:p-0 max-sm:first:pl-0 max-sm:last:pr-0',
        isEmpty && 'max-sm:hidden',
        column.numeric && 'text-right tabular',
        column.className,
      )}
    >
      {column.named && !isEmpty && <span className="text-soft sm:hidden">{column.head} </span>}
      {children}
    </td>
  )
}

/** The classes of a link that covers its whole row. */
export const rowLink = 'font-medium text-ink after:absolute after:inset-0 hover:text-accent'

/** Codes, IDs and addresses within a row. */
export function Code({ children }: { children: ReactNode }) {
  return <code className="font-mono text-13">{children}</code>
}
