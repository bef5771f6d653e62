import { SectionHeading } from '@windlass/ui/page.tsx'
import { describeError } from '@windlass/client/errors.ts'
import type { AnchorOutcome, MissedRoute } from '@windlass/contracts/routing.ts'
import { getWorkspaceDecisions, getWorkspaceMissedRoutes } from '@windlass/contracts/workspaces.ts'
import { useQuery } from '@tanstack/react-query'
import { Bar, DataScreen, Empty } from '@windlass/ui/data-screen.tsx'
import { formatAmount, formatCountry, formatDateTime } from '@windlass/ui/formats.ts'
import { Status } from '@windlass/ui/notice.tsx'
import { Table } from '@windlass/ui/table.tsx'
import { operator } from '../session.ts'
import { workspace } from './texts.ts'
import { useWorkspace } from './workspace.tsx'

const texts = workspace.routing

/** Which wallets the anchor was chosen for, and which it could not serve. */
export function Component() {
  return (
    <div className="space-y-10">
      <Decisions />
      <Missed />
    </div>
  )
}

/** Why the anchor was or was not chosen: the latest hundred decisions that name it. */
function Decisions() {
  const { id: anchorId } = useWorkspace()
  const decisions = useQuery({
    queryKey: ['operator', 'decisions', anchorId],
    queryFn: ({ signal }) =>
      operator.call(getWorkspaceDecisions, { params: { anchorId }, query: {}, signal }),
    refetchInterval: 15_000,
  })
  return (
    <section className="space-y-4">
      <SectionHeading title={texts.title} lead={texts.lead} />
      <DataScreen
        query={decisions}
        explain={describeError}
        skeleton={<Bar className="h-40" />}
        isEmpty={rows => rows.length === 0}
        empty={<Empty title={texts.empty.title}>{texts.empty.detail}</Empty>}
      >
        {rows => <Outcomes rows={rows} />}
      </DataScreen>
    </section>
  )
}

function Outcomes({ rows }: { rows: readonly AnchorOutcome[] }) {
  const { columns } = texts
  return (
    <Table
      caption={texts.title}
      rows={rows}
      keyOf={row => row.decisionId}
      columns={[
        {
          head: columns.at,
          className: 'whitespace-nowrap text-soft',
          cell: row => <time dateTime={row.decidedAt}>{formatDateTime(row.decidedAt)}</time>,
        },
        {
          head: columns.request,
          cell: ({ amount, asset, rail, region }) =>
            texts.request(formatAmount(amount), asset, rail, region && formatCountry(region)),
        },
        { head: columns.outcome, cell: row => <Outcome outcome={row.outcome} /> },
        {
          head: columns.score,
          numeric: true,
          named: true,
          cell: row =>
            row.score === undefined ? '–' : texts.score(figure(row.score), figure(row.winningScore)),
        },
        {
          head: columns.why,
          className: 'text-soft wrap-anywhere max-sm:w-full',
          cell: row => texts.why(row.detail, row.rank),
        },
      ]}
    />
  )
}

/** Routes that no anchor could serve, and what this one lacked: the latest hundred. */
function Missed() {
  const { id: anchorId } = useWorkspace()
  const { missed } = texts
  const routes = useQuery({
    queryKey: ['operator', 'missed', anchorId],
    queryFn: ({ signal }) =>
      operator.call(getWorkspaceMissedRoutes, { params: { anchorId }, query: {}, signal }),
    refetchInterval: 15_000,
  })
  return (
    <section className="space-y-4">
      <SectionHeading title={missed.title} lead={missed.lead} />
      <DataScreen
        query={routes}
        explain={describeError}
        skeleton={<Bar className="h-40" />}
        isEmpty={rows => rows.length === 0}
        empty={<Empty title={missed.empty.title}>{missed.empty.detail}</Empty>}
      >
        {rows => <MissedRoutes rows={rows} />}
      </DataScreen>
    </section>
  )
}

function MissedRoutes({ rows }: { rows: readonly MissedRoute[] }) {
  const { columns, missed } = texts
  return (
    <Table
      caption={missed.title}
      rows={rows}
      keyOf={row => row.decisionId}
      columns={[
        {
          head: columns.at,
          className: 'whitespace-nowrap text-soft',
          cell: row => <time dateTime={row.decidedAt}>{formatDateTime(row.decidedAt)}</time>,
        },
        {
          head: columns.request,
          cell: ({ amount, asset, rail, region }) =>
            texts.request(formatAmount(amount), asset, rail, region && formatCountry(region)),
        },
        {
          head: missed.lacking,
          className: 'text-soft wrap-anywhere max-sm:w-full',
          cell: row => row.detail,
        },
      ]}
    />
  )
}

function Outcome({ outcome }: { outcome: AnchorOutcome['outcome'] }) {
  const tone = { chosen: 'good', outscored: 'neutral', rejected: 'warn' } as const
  return <Status tone={tone[outcome]}>{texts.outcomes[outcome]}</Status>
}

const figure = (score: number): string => formatAmount(score.toFixed(2))
