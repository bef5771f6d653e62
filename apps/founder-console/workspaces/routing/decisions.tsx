import { SectionHeading } from '@windlass/ui/page.tsx'
import { describeError } from '@windlass/ui/console/errors.ts'
import type { AnchorOutcome, MissedRoute } from '@windlass/contracts/aggregator/routing.ts'
import { getWorkspaceDecisions, getWorkspaceMissedRoutes } from '@windlass/contracts/platform/workspaces.ts'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { Bar } from '@windlass/ui/bar.tsx'
import { DataScreen, Empty } from '@windlass/ui/data-screen.tsx'
import { formatAmount, formatCountry } from '@windlass/ui/formats.ts'
import { Status } from '@windlass/ui/notice.tsx'
import { type Column, Table } from '@windlass/ui/table.tsx'
import { timeColumn } from '@windlass/ui/time-column.tsx'
import { operator } from '../../session.ts'
import { routing as texts } from './texts.ts'
import { useWorkspace } from '../workspace.tsx'

const WIDE = 'text-soft wrap-anywhere max-sm:w-full'

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
  const { columns } = texts
  const decisions = useQuery(
    operator.query(getWorkspaceDecisions, { params: { anchorId } }, { refetchInterval: 15_000 }),
  )
  return (
    <Requests
      words={texts}
      query={decisions}
      columns={[
        { head: columns.outcome, cell: row => <Outcome outcome={row.outcome} /> },
        {
          head: columns.score,
          numeric: true,
          named: true,
          cell: row =>
            row.score === undefined ? '–' : texts.score(figure(row.score), figure(row.winningScore)),
        },
        { head: columns.why, className: WIDE, cell: row => texts.why(row.detail, row.rank) },
      ]}
    />
  )
}

/** Routes that no anchor could serve, and what this one lacked: the latest hundred. */
function Missed() {
  const { id: anchorId } = useWorkspace()
  const { missed } = texts
  const routes = useQuery(
    operator.query(getWorkspaceMissedRoutes, { params: { anchorId } }, { refetchInterval: 15_000 }),
  )
  return (
    <Requests
      words={missed}
      query={routes}
      columns={[{ head: missed.lacking, className: WIDE, value: row => row.detail }]}
    />
  )
}

interface RequestsProps<Row> {
  words: { title: string; lead: string; empty: { title: string; detail: string } }
  query: UseQueryResult<Row[]>
  /** Those after the time and the request. */
  columns: readonly Column<Row>[]
}

/** What wallets asked for, with a heading. */
function Requests<Row extends AnchorOutcome | MissedRoute>({ words, query, columns }: RequestsProps<Row>) {
  return (
    <section className="space-y-4">
      <SectionHeading title={words.title} lead={words.lead} />
      <DataScreen
        query={query}
        explain={describeError}
        skeleton={<Bar className="h-40" />}
        isEmpty={rows => rows.length === 0}
        empty={<Empty title={words.empty.title}>{words.empty.detail}</Empty>}
      >
        {rows => (
          <Table
            caption={words.title}
            rows={rows}
            keyOf={row => row.decisionId}
            columns={[
              timeColumn<Row>(texts.columns.at, row => row.decidedAt),
              {
                head: texts.columns.request,
                cell: ({ amount, asset, rail, region }) =>
                  texts.request(formatAmount(amount), asset, rail, region && formatCountry(region)),
              },
              ...columns,
            ]}
          />
        )}
      </DataScreen>
    </section>
  )
}

function Outcome({ outcome }: { outcome: AnchorOutcome['outcome'] }) {
  const tone = { chosen: 'good', outscored: 'neutral', rejected: 'warn' } as const
  return <Status tone={tone[outcome]}>{texts.outcomes[outcome]}</Status>
}

const figure = (score: number): string => formatAmount(score.toFixed(2))
