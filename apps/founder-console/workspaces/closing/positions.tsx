import type { ExchangePosition, Period } from '@windlass/contracts/anchor/journal.ts'
import { formatAmount } from '@windlass/ui/formats.ts'
import { SectionHeading } from '@windlass/ui/page.tsx'
import { Table } from '@windlass/ui/table.tsx'
import { unitName } from '../assets.ts'
import { useWorkspace } from '../workspace.tsx'
import { positions as words } from './behind-texts.ts'

/** Money of other currencies that exchanges left, with what it cost and what it is worth. */
export function Positions({ period: { positions = [] } }: { period: Period }) {
  const workspace = useWorkspace()
  if (positions.length === 0) return null
  const units = (row: ExchangePosition, amount: string | null) =>
    amount === null ? words.noRate : `${formatAmount(amount)} ${unitName(workspace, row.unit)}`
  const column = (head: string, amount: (row: ExchangePosition) => string | null) => ({
    head,
    numeric: true,
    named: true,
    cell: (row: ExchangePosition) => units(row, amount(row)),
  })
  return (
    <section className="space-y-2">
      <SectionHeading title={words.title} lead={words.lead} />
      <Table
        caption={words.title}
        rows={positions}
        keyOf={row => `${row.unit} ${row.currency}`}
        columns={[
          {
            head: words.money,
            numeric: true,
            cell: row => `${formatAmount(row.money)} ${row.currency}`,
          },
          column(words.cost, row => row.cost),
          { head: words.rate, numeric: true, named: true, cell: row => row.rate ?? words.noRate },
          column(words.value, row => row.value),
          column(words.unrealised, row => row.unrealised),
          column(words.realised, row => row.realised),
        ]}
      />
    </section>
  )
}
