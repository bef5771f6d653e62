import { getVolume, type Volume } from '@windlass/contracts/platform/volume.ts'
import { useQuery } from '@tanstack/react-query'
import { Bar } from '@windlass/ui/bar.tsx'
import { BarChart } from '@windlass/ui/charts.tsx'
import { describeError } from '@windlass/ui/console/errors.ts'
import { DataScreen } from '@windlass/ui/data-screen.tsx'
import { formatAmount, formatDay, formatList, formatMoney } from '@windlass/ui/formats.ts'
import { Panel, SectionHeading } from '@windlass/ui/page.tsx'
import { Table, type Column } from '@windlass/ui/table.tsx'
import { Link } from 'react-router'
import { query } from '../api.ts'
import { paths } from '../paths.ts'
import { volume as texts } from './volume-texts.ts'

const volumeQuery = query(getVolume, { query: { days: 14 } }, { refetchInterval: 120_000 })

/** What all anchors moved in two weeks: transactions by day, amounts by asset, money by rail. */
export default function VolumeOfAnchors() {
  const volume = useQuery(volumeQuery)
  return (
    <section className="space-y-3">
      <SectionHeading title={texts.title} lead={texts.lead} />
      <DataScreen query={volume} explain={describeError} skeleton={<Bar className="h-56" />}>
        {data => (
          <>
            {data.assets.length === 0 ? (
              <p className="text-14 text-soft">{texts.none}</p>
            ) : (
              <Figures volume={data} />
            )}
            {data.missing.length > 0 && (
              <p className="text-13 text-soft">
                {texts.missing(formatList(data.missing.map(({ subdomain }) => subdomain)))}
              </p>
            )}
          </>
        )}
      </DataScreen>
    </section>
  )
}

const sides = ['deposits', 'withdrawals'] as const

function Figures({ volume: { days, assets, rails } }: { volume: Volume }) {
  return (
    <>
      <Panel className="px-4 py-4 sm:px-5">
        <BarChart
          caption={texts.byDay}
          labels={days.map(({ day }) => formatDay(day))}
          series={sides.map(side => ({
            name: texts[side],
            values: days.map(day => day[side]),
            shown: days.map(day => String(day[side])),
          }))}
          axis={highest => texts.transactions(Math.round(highest))}
        />
      </Panel>
      <div className="grid gap-3 xl:grid-cols-2">
        <Table
          caption={texts.byAsset}
          columns={assetColumns}
          rows={assets}
          keyOf={({ anchor, code }) => `${anchor.id} ${code}`}
        />
        {rails.length > 0 && (
          <Table
            caption={texts.byRail}
            columns={railColumns}
            rows={rails}
            keyOf={({ rail, currency }) => `${rail} ${currency}`}
          />
        )}
      </div>
    </>
  )
}

const moved = (side: (typeof sides)[number]): Column<Volume['assets'][number]> => ({
  head: texts[side],
  named: true,
  className: 'text-right tabular',
  cell: row => texts.amount(formatAmount(row[side].amount), row.code, row[side].count),
})

const assetColumns: Column<Volume['assets'][number]>[] = [
  {
    head: texts.anchor,
    className: 'font-medium',
    cell: ({ anchor }) => (
      <Link to={paths.fleet({ open: anchor.id })} className="link">
        {anchor.subdomain}
      </Link>
    ),
  },
  moved('deposits'),
  moved('withdrawals'),
]

const railColumns: Column<Volume['rails'][number]>[] = [
  { head: texts.rail, className: 'font-medium', cell: ({ rail }) => rail },
  {
    head: texts.in,
    named: true,
    className: 'text-right tabular',
    cell: row => formatMoney(row.in, row.currency),
  },
  {
    head: texts.out,
    named: true,
    className: 'text-right tabular',
    cell: row => formatMoney(row.out, row.currency),
  },
]
