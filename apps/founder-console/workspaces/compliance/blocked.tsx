import { useQuery } from '@tanstack/react-query'
import type { BlockedMoney, BlockedProperty } from '@windlass/contracts/anchor/blocked-property.ts'
import { getWorkspaceBlockedProperty } from '@windlass/contracts/platform/workspace-compliance.ts'
import { Bar } from '@windlass/ui/bar.tsx'
import { Button } from '@windlass/ui/button.tsx'
import { saveCsv, saveJson } from '@windlass/ui/console/csv.ts'
import { describeError } from '@windlass/ui/console/errors.ts'
import { DataScreen, Empty } from '@windlass/ui/data-screen.tsx'
import { Status } from '@windlass/ui/notice.tsx'
import { SectionHeading } from '@windlass/ui/page.tsx'
import { type Column, Table } from '@windlass/ui/table.tsx'
import { timeColumn } from '@windlass/ui/time-column.tsx'
import { operator } from '../../session.ts'
import { useWorkspace } from '../workspace.tsx'
import { texts } from './blocked-texts.ts'

/** Money that confirmed hits of lists stop, and the report that the law asks for. */
export function Blocked() {
  const { id: anchorId, subdomain } = useWorkspace()
  const blocked = useQuery(operator.query(getWorkspaceBlockedProperty, { params: { anchorId } }))
  const report = blocked.data
  return (
    <section className="space-y-4">
      <SectionHeading
        title={texts.title}
        lead={texts.lead}
        actions={
          report &&
          report.property.length > 0 && (
            <div className="flex flex-wrap gap-2">
              <Button onClick={() => saveJson(`${subdomain}-blocked-property.json`, report)}>
                {texts.json}
              </Button>
              <Button onClick={() => saveTable(`${subdomain}-blocked-property.csv`, report)}>
                {texts.csv}
              </Button>
            </div>
          )
        }
      />
      <DataScreen query={blocked} explain={describeError} skeleton={<Bar className="h-24" />}>
        {({ property }) =>
          property.length === 0 ? (
            <Empty title={texts.empty.title}>{texts.empty.detail}</Empty>
          ) : (
            <Table caption={texts.title} columns={columnsOf()} rows={property} keyOf={({ id }) => id} />
          )
        }
      </DataScreen>
    </section>
  )
}

function columnsOf(): Column<BlockedMoney>[] {
  const { columns: heads } = texts
  return [
    { head: heads.name, className: 'font-medium wrap-anywhere', cell: row => row.match?.name },
    { head: heads.entry, className: 'wrap-anywhere', cell: row => row.match?.entryName },
    { head: heads.amount, numeric: true, cell: ({ amount, unit }) => `${amount} ${unit}` },
    timeColumn(heads.blockedAt, row => row.blockedAt),
    { head: heads.reportBy, className: 'whitespace-nowrap', value: row => row.reportBy },
    {
      head: heads.status,
      cell: row => (
        <Status tone={row.releasedAt === null ? 'bad' : 'neutral'}>
          {row.releasedAt === null ? texts.blocked : texts.released}
        </Status>
      ),
    },
  ]
}

/** Its heads are those of the report's fields, for the authority. */
function saveTable(name: string, { holder, property }: BlockedProperty): void {
  const head = [
    ...[
      'holder',
      'transaction',
      'name',
      'list',
      'entry',
      'entry_name',
      'detail',
      'unit',
      'amount',
      'direction',
    ],
    ...['rail', 'wallet', 'payee_account', 'parties', 'blocked_at', 'report_by', 'released_at'],
  ]
  saveCsv(
    name,
    head,
    property.map(({ match, names, payee, ...row }) => [
      ...[holder.name, row.transactionId, match?.name ?? null, match?.source ?? null, match?.entryId ?? null],
      ...[match?.entryName ?? null, match?.detail ?? null, row.unit, row.amount, row.direction, row.rail],
      ...[row.wallet, payee.account, names.map(each => `${each.role}: ${each.name}`).join('; ')],
      ...[row.blockedAt, row.reportBy, row.releasedAt],
    ]),
  )
}
