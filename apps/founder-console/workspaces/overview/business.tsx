import { describeError } from '@windlass/ui/console/errors.ts'
import type { Figures } from '@windlass/contracts/anchor/developer-api.ts'
import { getWorkspaceFigures } from '@windlass/contracts/platform/workspace-records.ts'
import { useQuery } from '@tanstack/react-query'
import { add, amountOf, formatAmount as exactAmount, parseAmount } from '@windlass/money/amount.ts'
import { BarChart, Figure, Funnel } from '@windlass/ui/charts.tsx'
import { Bar } from '@windlass/ui/bar.tsx'
import { DataScreen } from '@windlass/ui/data-screen.tsx'
import { formatDuration } from '@windlass/ui/format-units.ts'
import { formatDay, formatFraction, formatSum, readerTimeZone } from '@windlass/ui/formats.ts'
import { Panel, SectionHeading } from '@windlass/ui/page.tsx'
import { useState } from 'react'
import { operator } from '../../session.ts'
import { overview as texts } from './texts.ts'
import { assetsOf } from '../assets.ts'
import { useWorkspace } from '../workspace.tsx'

const PERIODS = [7, 30, 90] as const
type Days = (typeof PERIODS)[number]

const assetIn = (key: readonly unknown[] = []) =>
  (key[2] as { query: { asset: string } } | undefined)?.query.asset

/** Volume, fees, what is pending and how many transactions complete. */
export function Business() {
  const workspace = useWorkspace()
  const { id: anchorId } = workspace
  const assets = assetsOf(workspace)
  const [days, setDays] = useState<Days>(30)
  const [asset, setAsset] = useState(assets[0])
  const figures = useQuery(
    operator.query(
      getWorkspaceFigures,
      { params: { anchorId }, query: { asset: asset.id, days, timeZone: readerTimeZone() } },
      {
        // Another asset's figures would have this one's name until they come.
        placeholderData: (before, query) => (assetIn(query?.queryKey) === asset.id ? before : undefined),
        refetchInterval: 60_000,
      },
    ),
  )
  return (
    <section className="space-y-4">
      <SectionHeading
        title={texts.business.title}
        actions={
          <div className="flex flex-wrap gap-4">
            {assets.length > 1 && (
              <Choice
                label={texts.business.asset}
                all={assets}
                chosen={asset}
                nameOf={each => each.name}
                onChange={setAsset}
              />
            )}
            <Choice<Days>
              label={texts.business.period}
              all={PERIODS}
              chosen={days}
              nameOf={each => texts.business.days(each)}
              onChange={setDays}
            />
          </div>
        }
      />
      <DataScreen query={figures} explain={describeError} skeleton={<Bar className="h-72" />}>
        {data => <BusinessFigures figures={data} name={asset.name} />}
      </DataScreen>
    </section>
  )
}

interface ChoiceProps<Of> {
  label: string
  all: readonly Of[]
  chosen: Of
  nameOf(this: void, each: Of): string
  onChange(this: void, each: Of): void
}

function Choice<Of>({ label, all, chosen, nameOf, onChange }: ChoiceProps<Of>) {
  return (
    <div role="group" aria-label={label} className="flex flex-wrap gap-1">
      {all.map(each => (
        <button
          key={nameOf(each)}
          type="button"
          aria-pressed={nameOf(each) === nameOf(chosen)}
          onClick={() => onChange(each)}
          className="control rounded-8 border border-transparent px-3 text-14 font-medium text-soft hover:bg-hover aria-pressed:border-control aria-pressed:bg-surface aria-pressed:text-ink"
        >
          {nameOf(each)}
        </button>
      ))}
    </div>
  )
}

const sumOf = (amounts: readonly string[]): string =>
  exactAmount(amounts.reduce((sum, amount) => add(sum, parseAmount(amount)), amountOf(0n)))

function BusinessFigures({ figures, name }: { figures: Figures; name: string }) {
  const { days, pending, funnel, completion } = figures
  const { business } = texts
  const units = (amount: string) => `${formatSum(amount)} ${name}`
  const total = (side: 'deposits' | 'withdrawals') => ({
    amount: units(sumOf(days.map(day => day[side].amount))),
    count: days.reduce((sum, day) => sum + day[side].count, 0),
  })
  const [deposits, withdrawals] = [total('deposits'), total('withdrawals')]
  const waiting = pending.reduce((sum, { count }) => sum + count, 0)
  const series = (['deposits', 'withdrawals'] as const).map(side => ({
    name: business[side],
    values: days.map(day => Number(day[side].amount)),
    shown: days.map(day => units(day[side].amount)),
  }))
  return (
    <div className="space-y-4">
      <dl className="grid gap-3 sm:grid-cols-2 lg:grid-cols-4">
        <Figure
          name={business.deposits}
          value={deposits.amount}
          detail={business.transactions(deposits.count)}
        />
        <Figure
          name={business.withdrawals}
          value={withdrawals.amount}
          detail={business.transactions(withdrawals.count)}
        />
        <Figure name={business.fees} value={units(sumOf(days.map(({ fees }) => fees)))} />
        <Figure
          name={business.pending}
          value={business.transactions(waiting)}
          detail={units(sumOf(pending.map(({ amount }) => amount)))}
        />
      </dl>
      <div className="grid items-start gap-4 lg:grid-cols-3">
        <Panel className="space-y-3 px-4 py-4 sm:px-5 lg:col-span-2">
          <h3 className="font-semibold">{business.volume}</h3>
          {deposits.count + withdrawals.count === 0 ? (
            <p className="text-14 text-soft">{business.noVolume}</p>
          ) : (
            <BarChart
              caption={business.volume}
              labels={days.map(({ day }) => formatDay(day))}
              series={series}
              axis={highest => units(highest.toFixed(2))}
            />
          )}
        </Panel>
        <Panel className="space-y-3 px-4 py-4 sm:px-5">
          <h3 className="font-semibold">{business.funnel}</h3>
          <Funnel
            steps={(['started', 'agreed', 'paid', 'completed'] as const).map(step => ({
              name: business.steps[step],
              count: funnel[step],
              shown: shareOf(funnel[step], funnel.started),
            }))}
          />
          {completion && (
            <p className="text-13 text-soft">
              {business.completion(
                formatDuration(completion.median * 1000),
                formatDuration(completion.p95 * 1000),
              )}
            </p>
          )}
        </Panel>
      </div>
    </div>
  )
}

/** `12 (40%)`; the count alone where there is nothing to compare it with. */
const shareOf = (count: number, all: number) =>
  all === 0 ? `${count}` : `${count} (${formatFraction((count / all).toFixed(2))})`
