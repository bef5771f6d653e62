import type { Figures } from '@windlass/contracts/anchor/developer-api.ts'
import { getWorkspaceFigures } from '@windlass/contracts/platform/workspace-records.ts'
import { useQuery } from '@tanstack/react-query'
import { BarChart } from '@windlass/ui/charts.tsx'
import { formatDay, formatMoney, formatSum, readerTimeZone } from '@windlass/ui/formats.ts'
import { LineChart } from '@windlass/ui/line-chart.tsx'
import { Panel, SectionHeading } from '@windlass/ui/page.tsx'
import { operator } from '../../session.ts'
import { useWorkspace } from '../workspace.tsx'
import { flows as texts } from './texts.ts'

const DAYS = 30

const useFigures = (asset: string | undefined) =>
  useQuery(
    operator.query(getWorkspaceFigures, {
      params: { anchorId: useWorkspace().id },
      query: { asset, days: DAYS, timeZone: readerTimeZone() },
    }),
  ).data

interface TreasuryLineProps {
  /** As in a query; undefined: the first one. */
  asset: string | undefined
  /** The asset's, beside amounts. */
  unit: string
  reserved: string
  /** How long the treasury lasts, in words. */
  runway: string | undefined
}

/** What the treasury held on each day, beside what is reserved of it now. */
export function TreasuryLine({ asset, unit, reserved, runway }: TreasuryLineProps) {
  const days = useFigures(asset)?.days
  const held = days?.map(({ treasury }) => treasury)
  if (!days || !held?.every(each => each !== undefined)) return null
  const units = (amount: string) => `${formatSum(amount)} ${unit}`
  return (
    <div className="space-y-2">
      <h3 className="flex flex-wrap justify-between gap-x-4 text-14 font-semibold">
        {texts.treasury(DAYS)}
        {runway && (
          <span className="font-normal text-soft">
            {texts.lasts}: {runway}
          </span>
        )}
      </h3>
      <LineChart
        caption={texts.treasury(DAYS)}
        labels={days.map(({ day }) => formatDay(day))}
        axis={highest => units(highest.toFixed(2))}
        series={[
          { name: texts.balance, values: held.map(Number), shown: held.map(units) },
          {
            name: texts.reserved,
            values: held.map(() => Number(reserved)),
            shown: held.map(() => units(reserved)),
          },
        ]}
      />
    </div>
  )
}

/** Money in and out by day, a chart for each rail over which any moved. */
export function CashFlow() {
  const figures = useFigures(undefined)
  if (!figures?.cash || figures.cash.length === 0) return null
  const { cash, days } = figures
  const rails = [...new Map(cash.map(row => [`${row.rail} ${row.currency}`, row])).values()]
  return (
    <section className="space-y-4">
      <SectionHeading title={texts.cash.title(DAYS)} lead={texts.cash.lead} />
      <div className="grid gap-4 xl:grid-cols-2">
        {rails.map(({ rail, currency }) => (
          <RailFlow key={`${rail} ${currency}`} {...{ rail, currency, cash, days }} />
        ))}
      </div>
    </section>
  )
}

interface RailFlowProps extends Required<Pick<Figures, 'cash' | 'days'>> {
  rail: string
  currency: string
}

function RailFlow({ rail, currency, cash, days }: RailFlowProps) {
  const own = new Map(
    cash.filter(row => row.rail === rail && row.currency === currency).map(row => [row.day, row]),
  )
  const series = (['in', 'out'] as const).map(side => {
    const amounts = days.map(({ day }) => own.get(day)?.[side] ?? '0')
    return {
      name: texts.cash[side],
      values: amounts.map(Number),
      shown: amounts.map(amount => formatMoney(amount, currency)),
    }
  })
  const title = texts.cash.over(rail, currency)
  return (
    <Panel className="space-y-3 px-4 py-4 sm:px-5">
      <h3 className="font-semibold">{title}</h3>
      <BarChart
        caption={title}
        labels={days.map(({ day }) => formatDay(day))}
        series={series}
        axis={highest => formatMoney(highest.toFixed(2), currency)}
      />
    </Panel>
  )
}
