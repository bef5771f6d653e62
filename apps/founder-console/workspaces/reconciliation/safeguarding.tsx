import { describeError } from '@windlass/ui/console/errors.ts'
import { getWorkspaceSafeguarding } from '@windlass/contracts/platform/workspace-journal.ts'
import { useQuery } from '@tanstack/react-query'
import { Bar } from '@windlass/ui/bar.tsx'
import { DataScreen } from '@windlass/ui/data-screen.tsx'
import { formatMoney } from '@windlass/ui/formats.ts'
import { Status } from '@windlass/ui/notice.tsx'
import { SectionHeading } from '@windlass/ui/page.tsx'
import { Table } from '@windlass/ui/table.tsx'
import { operator } from '../../session.ts'
import { useWorkspace } from '../workspace.tsx'
import { texts as all } from './texts.ts'

const texts = all.safeguarding
const REFRESH_MS = 30_000

/** What is owed to customers against what is there for them. */
export function SafeguardingView() {
  const { id: anchorId } = useWorkspace()
  const found = useQuery(
    operator.query(
      getWorkspaceSafeguarding,
      { params: { anchorId }, query: {} },
      { refetchInterval: REFRESH_MS },
    ),
  )
  return (
    <section className="space-y-4">
      <SectionHeading title={texts.title} lead={texts.lead} />
      <DataScreen query={found} explain={describeError} skeleton={<Bar className="h-24" />}>
        {({ currencies, total, isShort }) => (
          <div className="space-y-3">
            <p role="status" className="text-14">
              <Status tone={isShort ? 'bad' : 'good'}>{isShort ? texts.short : texts.covered}</Status>{' '}
              {texts.total(formatMoney(total.difference, total.currency))}
            </p>
            {currencies.length > 0 && (
              <Table
                caption={texts.title}
                rows={currencies}
                keyOf={row => row.currency}
                columns={[
                  { head: texts.currency, value: row => row.currency },
                  {
                    head: texts.owed,
                    numeric: true,
                    value: row => row.owed,
                    cell: row => formatMoney(row.owed, row.currency),
                  },
                  {
                    head: texts.there,
                    numeric: true,
                    value: row => row.there,
                    cell: row => formatMoney(row.there, row.currency),
                  },
                ]}
              />
            )}
          </div>
        )}
      </DataScreen>
    </section>
  )
}
