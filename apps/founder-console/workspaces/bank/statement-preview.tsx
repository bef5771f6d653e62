import type { CsvPreview } from '@windlass/contracts/anchor/bank-files.ts'
import { Notice } from '@windlass/ui/notice.tsx'
import { formatDate, formatMoney } from '@windlass/ui/formats.ts'
import { Fact, Facts } from '@windlass/ui/page.tsx'
import { Table } from '@windlass/ui/table.tsx'
import { texts } from './texts.ts'
import { lineTexts } from './line-texts.ts'

export type Reading = NonNullable<CsvPreview['reading']>

/** The first lines of a statement as they will be read, with the sums: nothing of it counts yet. */
export function ReadingView({ reading }: { reading: Reading }) {
  const { preview } = texts
  const { first, sums, lines, notBooked, currency, refused } = reading
  if (refused !== null)
    return (
      <Notice tone="warn" role="status" title={preview.refused}>
        {refused}
      </Notice>
    )
  const { columns } = lineTexts.review
  return (
    <section aria-label={preview.title} aria-live="polite" className="space-y-3">
      <h3 className="font-semibold">{preview.title}</h3>
      <p className="text-13 text-soft">{preview.lead}</p>
      <Facts>
        <Fact name={lineTexts.review.in}>{formatMoney(sums.in, currency)}</Fact>
        <Fact name={lineTexts.review.out}>{formatMoney(sums.out, currency)}</Fact>
        <Fact name={texts.statements.columns.lines}>{preview.count(lines, notBooked)}</Fact>
      </Facts>
      <Table
        caption={preview.title}
        rows={first.map((line, place) => ({ ...line, place }))}
        keyOf={({ place }) => String(place)}
        columns={[
          {
            head: columns.day,
            className: 'whitespace-nowrap',
            value: row => row.bookedOn,
            cell: row => formatDate(row.bookedOn),
          },
          {
            head: columns.amount,
            numeric: true,
            cell: row => `${row.direction === 'out' ? '−' : ''}${formatMoney(row.amount, currency)}`,
          },
          {
            head: preview.text,
            className: 'wrap-anywhere text-soft',
            cell: row => [row.party, row.text].filter(Boolean).join(' · '),
          },
        ]}
      />
    </section>
  )
}
