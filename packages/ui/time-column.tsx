import { formatDateTime } from './formats.ts'
import type { Column } from './table.tsx'

/** A column of times in the reader's zone. */
export const timeColumn = <Row,>(head: string, at: (row: Row) => string): Column<Row> => ({
  head,
  className: 'whitespace-nowrap text-soft',
  value: at,
  cell: row => <time dateTime={at(row)}>{formatDateTime(at(row))}</time>,
})
