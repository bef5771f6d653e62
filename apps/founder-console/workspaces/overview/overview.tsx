import { describeError } from '@windlass/ui/console/errors.ts'
import type { AnchorSummary } from '@windlass/contracts/anchor/business-server.ts'
import { listNotifications, type AnchorNotificationKind } from '@windlass/contracts/platform/notifications.ts'
import { getWorkspaceTreasury } from '@windlass/contracts/platform/workspace-records.ts'
import { getWorkspaceHealth, type Workspace } from '@windlass/contracts/platform/workspaces.ts'
import type { AnswerOf } from '@windlass/contracts/endpoint.ts'
import { useQuery } from '@tanstack/react-query'
import { LastHour } from '@windlass/ui/availability-bars.tsx'
import { buttonLook } from '@windlass/ui/button.tsx'
import { BarChart, ShareBar } from '@windlass/ui/charts.tsx'
import { Bar } from '@windlass/ui/bar.tsx'
import { useNow } from '@windlass/ui/data-screen.tsx'
import { formatAmount, formatDateTime, formatTime } from '@windlass/ui/formats.ts'
import { Icon } from '@windlass/ui/icons.tsx'
import { Notice, Status } from '@windlass/ui/notice.tsx'
import { Panel } from '@windlass/ui/page.tsx'
import { chartTexts } from '@windlass/ui/chart-texts.ts'
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
import { Business } from './business.tsx'
import { manages } from '../manages.ts'

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
            {manages(anchor.role) && <SetupChecklist />}
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

/** The status of transactions whose payments wait for the customer's account. */
const WHERE: Partial<Record<string, string>> = Object.fromEntries(
  ['no-account', 'no-trustline', 'not-authorized', 'trustline-full'].map(code => [code, 'awaiting_trust']),
)

/** XLM for fees and reserves, and what payments wait for. */
function LedgerCosts({ summary: { ledger, waiting, withoutLists } }: { summary: AnchorSummary }) {
  const { id: anchorId } = useWorkspace()
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
          {code && details ? describeWait({ code, details }) : waiting.reason}{' '}
          <Link
            to={paths.workspace(anchorId, 'transactions', { status: WHERE[code ?? ''] })}
            className="link"
          >
            {liquidityTexts.seeWaiting}
          </Link>
        </Notice>
      )}
    </>
  )
}
