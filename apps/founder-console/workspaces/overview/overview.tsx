import { describeError } from '@windlass/ui/console/errors.ts'
import type { AnchorSummary } from '@windlass/contracts/anchor/business-server.ts'
import type { Figures } from '@windlass/contracts/anchor/developer-api.ts'
import { listNotifications, type AnchorNotificationKind } from '@windlass/contracts/platform/notifications.ts'
import { getWorkspaceFigures, getWorkspaceTreasury } from '@windlass/contracts/platform/workspace-records.ts'
import { getWorkspaceHealth, type Workspace } from '@windlass/contracts/platform/workspaces.ts'
import type { AnswerOf } from '@windlass/contracts/endpoint.ts'
import { useQuery } from '@tanstack/react-query'
import { add, amountOf, formatAmount as exactAmount, parseAmount } from '@windlass/money/amount.ts'
import { LastHour } from '@windlass/ui/availability-bars.tsx'
import { buttonLook } from '@windlass/ui/button.tsx'
import { BarChart, Figure, Funnel, ShareBar } from '@windlass/ui/charts.tsx'
import { Bar } from '@windlass/ui/bar.tsx'
import { DataScreen, useNow } from '@windlass/ui/data-screen.tsx'
import { formatDuration } from '@windlass/ui/format-units.ts'
import {
  formatAmount,
  formatDateTime,
  formatDay,
  formatFraction,
  formatSum,
  formatTime,
  readerTimeZone,
} from '@windlass/ui/formats.ts'
import { Icon } from '@windlass/ui/icons.tsx'
import { Notice, Status } from '@windlass/ui/notice.tsx'
import { Panel, SectionHeading } from '@windlass/ui/page.tsx'
import { chartTexts } from '@windlass/ui/chart-texts.ts'
import { useState } from 'react'
import { Link } from 'react-router'
import { paths } from '../../paths.ts'
import { operator } from '../../session.ts'
import { SetupChecklist } from './setup-checklist.tsx'
import { overview as texts, liquidity as liquidityTexts } from './texts.ts'
import { notifications as notificationsTexts } from '../notifications/texts.ts'
import { Detail } from '../notifications/detail.tsx'
import { NotificationLink } from '../notifications/notification-link.tsx'
import { PauseNotice } from '../pause-badge.tsx'
import { assetsOf } from '../assets.ts'
import { Settled } from '../settled.tsx'
import { useWorkspace } from '../workspace.tsx'
import { describeWait } from '../waits.ts'

/** How the business runs: alerts, figures, what is left to set up, availability and treasury. */
export function Component() {
  const anchor = useWorkspace()
  return (
    <div className="space-y-6">
      {(anchor.status === 'suspended' || anchor.status === 'removed') && (
        <Notice tone="warn" title={texts[anchor.status]}>
          {anchor.reason}
        </Notice>
      )}
      {anchor.ledgerResetAt && (
        <Notice tone="info" title={texts.ledgerReset.title(formatDateTime(anchor.ledgerResetAt))}>
          {texts.ledgerReset.detail}
        </Notice>
      )}
      {['draft', 'provisioning', 'error'].includes(anchor.status) && anchor.jobId && (
        <Link to={paths.provisioning(anchor.jobId)} className={buttonLook('primary')}>
          {texts.watch}
          <Icon name="arrow" />
        </Link>
      )}
      {anchor.status === 'active' && (
        <Settled>
          <div className="space-y-6">
            <PauseNotice anchorId={anchor.id} />
            <Inbox anchorId={anchor.id} />
            <SetupChecklist />
            <Business key={anchor.id} />
            <div className="grid gap-6 lg:grid-cols-2">
              <Availability anchorId={anchor.id} />
              <Treasury anchor={anchor} />
            </div>
          </div>
        </Settled>
      )}
    </div>
  )
}

const SHOWN = 8

/** What waits for people, each with a link to where it is decided. */
function Inbox({ anchorId }: { anchorId: string }) {
  const open = useQuery(
    operator.query(
      listNotifications,
      { params: { anchorId }, query: { open: true } },
      { refetchInterval: 30_000 },
    ),
  ).data?.filter(({ endedAt }) => endedAt === null)
  if (!open) return null
  return (
    <Panel className="px-4 py-4 sm:px-5">
      <h2 className="flex items-center gap-2 font-semibold">
        {texts.inbox.title}
        {open.length > 0 && <Status tone="warn">{open.length}</Status>}
      </h2>
      {open.length === 0 && <p className="mt-1 text-14 text-soft">{texts.inbox.empty}</p>}
      <ul aria-label={texts.inbox.title} className="divide-y divide-line">
        {open.slice(0, SHOWN).map(row => (
          <li key={row.id} className="flex flex-wrap items-baseline gap-x-4 gap-y-1 py-2.5 text-14">
            <span className="min-w-0 flex-1 basis-72 wrap-anywhere">
              <span className="block font-medium">
                {notificationsTexts.kinds[row.kind as AnchorNotificationKind] ?? row.kind}
              </span>
              <span className="text-soft">
                <Detail {...row} /> {texts.inbox.since(formatDateTime(row.startedAt))}
              </span>
            </span>
            <NotificationLink anchorId={anchorId} {...row} />
          </li>
        ))}
      </ul>
      {open.length > SHOWN && (
        <Link to={paths.workspace(anchorId, 'notifications')} className="link text-14">
          {texts.inbox.all(open.length)}
        </Link>
      )}
    </Panel>
  )
}

const PERIODS = [7, 30, 90] as const
type Days = (typeof PERIODS)[number]

const assetIn = (key: readonly unknown[] = []) =>
  (key[2] as { query: { asset: string } } | undefined)?.query.asset

/** Volume, fees, what is pending and how many transactions complete. */
function Business() {
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

function Availability({ anchorId }: { anchorId: string }) {
  const now = useNow(15_000)
  const health = useQuery(
    operator.query(getWorkspaceHealth, { params: { anchorId } }, { refetchInterval: 15_000 }),
  )
  if (!health.data) return null
  return (
    <Panel className="space-y-4 px-4 py-4 sm:px-5">
      <LastHour {...health.data} now={now} level={2} />
      <Latency minutes={health.data.minutes} />
    </Panel>
  )
}

/** How fast the anchor answered its checks, minute by minute; nothing while there were none. */
function Latency({ minutes }: Pick<AnswerOf<typeof getWorkspaceHealth>, 'minutes'>) {
  const last = minutes.at(-1)
  if (!last) return null
  return (
    <div className="space-y-2">
      <h3 className="flex flex-wrap justify-between gap-x-4 text-13 font-medium text-soft">
        {texts.latency}
        <span className="font-normal tabular">{texts.latencyNow(last.latencyMs)}</span>
      </h3>
      <BarChart
        small
        caption={texts.latency}
        axis={texts.milliseconds}
        labelled={chartTexts.time}
        labels={minutes.map(({ minute }) => formatTime(minute))}
        series={[
          {
            name: texts.latencySeries,
            values: minutes.map(({ latencyMs }) => latencyMs),
            shown: minutes.map(({ latencyMs }) => texts.milliseconds(latencyMs)),
          },
        ]}
      />
    </div>
  )
}

/** The amount the anchor can pay out now, with its balance and reserves. */
function Treasury({ anchor }: { anchor: Workspace }) {
  const { id: anchorId, asset } = anchor
  const [, ...further] = assetsOf(anchor)
  const treasury = useQuery(
    operator.query(getWorkspaceTreasury, { params: { anchorId } }, { refetchInterval: 15_000 }),
  )
  const holding = treasury.data?.assets[0]
  const units = (amount: string) => `${formatAmount(amount)} ${asset.code}`
  return (
    <Panel className="space-y-2 px-4 py-4 sm:px-5">
      <h2 className="font-semibold">{liquidityTexts.title}</h2>
      {treasury.isPending && <Bar className="h-40" />}
      {treasury.error && !treasury.data && (
        <p className="text-14 text-soft">{describeError(treasury.error).detail}</p>
      )}
      {treasury.data && holding && (
        <>
          <p className="text-18 font-semibold tabular">{units(treasury.data.treasury_capacity)}</p>
          <ShareBar
            values={[Number(treasury.data.treasury_capacity), Number(holding.reserved)]}
            whole={Number(asset.issuer ? holding.balance : asset.issued)}
          />
          <p className="text-13 text-soft tabular">
            {liquidityTexts.of(
              units(holding.balance),
              units(holding.reserved),
              asset.issuer ? null : units(asset.issued),
            )}
          </p>
          {treasury.data.treasury && <p className="text-14 font-medium">{lastsOf(treasury.data.treasury)}</p>}
          {further.map(({ name }, index) => (
            <p key={name} className="text-14 tabular">
              {formatAmount(treasury.data.assets[index + 1]?.capacity ?? '0')} {name}
            </p>
          ))}
          {treasury.data.asleepSince && (
            <p className="text-13 text-soft">
              {liquidityTexts.asleep(formatDateTime(treasury.data.asleepSince))}
            </p>
          )}
          <LedgerCosts summary={treasury.data} />
        </>
      )}
    </Panel>
  )
}

/** How long the treasury lasts at the present outflow. */
function lastsOf({ outflowPerDay, daysLeft }: NonNullable<AnchorSummary['treasury']>): string {
  if (outflowPerDay === null) return texts.runway.unknown
  return daysLeft === null ? texts.runway.unlimited : texts.runway.days(daysLeft)
}

/** XLM for fees and reserves, and what payments wait for. */
function LedgerCosts({ summary: { ledger, waiting, withoutLists } }: { summary: AnchorSummary }) {
  const { code, details } = waiting ?? {}
  const { spendableXlm, fee } = ledger
  return (
    <>
      {spendableXlm !== undefined && fee && (
        <p className="text-13 text-soft tabular">
          {liquidityTexts.xlm(formatAmount(spendableXlm))}{' '}
          {liquidityTexts.fee(fee.last && formatAmount(fee.last), formatAmount(fee.max))}
        </p>
      )}
      {withoutLists && (
        <Notice tone="bad" title={liquidityTexts.withoutLists.title}>
          {liquidityTexts.withoutLists.next}
        </Notice>
      )}
      {waiting && (
        <Notice tone="warn" title={liquidityTexts.waiting(waiting.payments)}>
          {code && details ? describeWait({ code, details }) : waiting.reason}
        </Notice>
      )}
    </>
  )
}
