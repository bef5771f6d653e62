import { compareDecimals, isDecimal } from '@windlass/money/compare-decimals.ts'
import { useState, type ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Icon } from './icons.tsx'
import { orderTexts as texts } from './order-texts.ts'

/** What a row has in a column, as it is compared and saved: a text, an ISO time, or a number. */
type Value = string | number | null | undefined

export interface Column<Row> {
  head: string
  /** With a value, people can sort by the column, hide it, and find it in what is saved as CSV. */
  value?(row: Row): Value
  /** Default: the value. */
  cell?(row: Row): ReactNode
  /** Aligned right. */
  numeric?: boolean
  /** On phones, where the header row is hidden, the value is preceded by the column's name. One of several numbers always is. */
  named?: boolean
  className?: string
}

export interface TableProps<Row> {
  /** For screen readers; the visible heading is above the table. */
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf(row: Row): string
  /** Whether the row is open beside the table. */
  isCurrent?(row: Row): boolean
  /** Whether these are all rows. Part of a list cannot be sorted. Default: true. */
  isWhole?: boolean
}

/**
 * Rows of 40 px; on phones each row is a card. A link with the class `rowLink` in one of the cells makes the
 * whole row clickable.
 */
export function Table<Row>({ caption, columns, rows, keyOf, isCurrent, isWhole = true }: TableProps<Row>) {
  const [order, setOrder] = useState<Order>()
  const by = isWhole ? columns.find(({ head, value }) => value && head === order?.head) : undefined
  const sorted = by?.value && order ? sortedBy(rows, by.value, order.direction) : rows
  const hasNumbers = columns.filter(({ numeric }) => numeric).length > 1
  const sortable = isWhole && rows.length > 1 ? columns.filter(({ value }) => value) : []
  return (
    <div className="overflow-hidden rounded-8 border border-line bg-surface">
      {sortable.length > 0 && (
        <OrderChoice heads={sortable.map(({ head }) => head)} order={by && order} onChoose={setOrder} />
      )}
      <table className="w-full text-14">
        <caption className="sr-only">{caption}</caption>
        <thead className="max-sm:sr-only">
          <tr className="border-b border-line text-left text-13 text-soft">
            {columns.map(column => (
              <Head
                key={column.head}
                column={column}
                direction={column === by ? order?.direction : undefined}
                onSort={isWhole && column.value ? () => setOrder(next(column.head, order)) : undefined}
              />
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {sorted.map(row => (
            <tr
              key={keyOf(row)}
              className={classNames(
                'relative h-10 transition-colors duration-100 hover:bg-hover max-sm:flex max-sm:h-auto max-sm:flex-wrap max-sm:items-center max-sm:gap-x-3 max-sm:gap-y-1 max-sm:px-4 max-sm:py-3',
                isCurrent?.(row) && 'bg-accent-tint',
              )}
            >
              {columns.map(column => (
                <Cell
                  key={column.head}
                  column={column}
                  isNamed={column.named || (hasNumbers && column.numeric)}
                >
                  {column.cell ? column.cell(row) : column.value?.(row)}
                </Cell>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface Order {
  head: string
  direction: 'ascending' | 'descending'
}

const DIRECTIONS = ['ascending', 'descending'] as const

interface OrderChoiceProps {
  heads: readonly string[]
  order: Order | undefined
  onChoose(order: Order | undefined): void
}

/** Sorts on phones, where the header row is hidden. */
function OrderChoice({ heads, order, onChoose }: OrderChoiceProps) {
  const orders = heads.flatMap(head => DIRECTIONS.map(direction => ({ head, direction })))
  const chosen = orders.findIndex(each => each.head === order?.head && each.direction === order.direction)
  return (
    <div className="border-b border-line px-4 py-2 sm:hidden">
      <select
        aria-label={texts.label}
        className="control w-full rounded-8 border border-control bg-surface px-2 text-14"
        value={chosen}
        onChange={event => onChoose(orders[Number(event.target.value)])}
      >
        <option value={-1}>{texts.asListed}</option>
        {orders.map(({ head, direction }, index) => (
          <option key={`${head} ${direction}`} value={index}>
            {texts[direction](head)}
          </option>
        ))}
      </select>
    </div>
  )
}

/** A further click turns the order, a third one gives the rows as they came. */
function next(head: string, order: Order | undefined): Order | undefined {
  if (order?.head !== head) return { head, direction: 'ascending' }
  return order.direction === 'ascending' ? { head, direction: 'descending' } : undefined
}

/** Rows without a value come last in either direction. */
export function sortedBy<Row>(
  rows: readonly Row[],
  valueOf: (row: Row) => Value,
  direction: Order['direction'],
): Row[] {
  const sign = direction === 'ascending' ? 1 : -1
  const keyed = rows.map(row => ({ row, key: valueOf(row)?.toString() || undefined }))
  return keyed
    .toSorted((one, other) => {
      if (one.key === undefined || other.key === undefined)
        return Number(one.key === undefined) - Number(other.key === undefined)
      return sign * compare(one.key, other.key)
    })
    .map(({ row }) => row)
}

const compare = (one: string, other: string): number =>
  isDecimal(one) && isDecimal(other) ? compareDecimals(one, other) : one.localeCompare(other)

interface HeadProps<Row> {
  column: Column<Row>
  direction: Order['direction'] | undefined
  onSort: (() => void) | undefined
}

function Head<Row>({ column, direction, onSort }: HeadProps<Row>) {
  return (
    <th
      scope="col"
      aria-sort={direction}
      className={classNames(
        'px-3 py-2 font-medium first:pl-4 last:pr-4',
        column.numeric && 'text-right',
        column.className,
      )}
    >
      {onSort ? (
        <button
          type="button"
          className="inline-flex max-sm:hidden cursor-pointer items-center gap-1 font-medium hover:text-ink"
          onClick={onSort}
        >
          {column.head}
          {direction && <Icon name={direction === 'ascending' ? 'up' : 'chevron'} className="size-3" />}
        </button>
      ) : (
        column.head
      )}
      {onSort && <span className="sm:hidden">{column.head}</span>}
    </th>
  )
}

interface CellProps<Row> {
  column: Column<Row>
  isNamed: boolean | undefined
  children: ReactNode
}

/** Without a value it takes no room on phones, nor does its column's name. */
function Cell<Row>({ column, isNamed, children }: CellProps<Row>) {
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
      {isNamed && !isEmpty && <span className="text-soft sm:hidden">{column.head} </span>}
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
