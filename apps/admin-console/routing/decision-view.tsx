import { perScore, scores, type Candidate, type RouteAnswer } from '@windlass/contracts/routing.ts'
import { CopyButton } from '@windlass/ui/copy-button.tsx'
import { formatAmount, formatDateTime } from '@windlass/ui/formats.ts'
import { Notice } from '@windlass/ui/notice.tsx'
import { Panel } from '@windlass/ui/page.tsx'
import { Table, type Column } from '@windlass/ui/table.tsx'
import { useState } from 'react'
import { paths } from '../paths.ts'
import { isWhole } from '../policy/weights.ts'
import { routing as texts } from '../texts/routing.ts'
import { LeftOut } from './left-out.tsx'
import { tryWeights, winnerOf } from './sum.ts'
import { WeightedSum } from './weighted-sum.tsx'
import { WhatIf } from './what-if.tsx'

/** A routing decision: the winner, everyone's scores, who was left out, and the same in words. */
export function DecisionView({ decision }: { decision: RouteAnswer }) {
  const { candidates, weights, eligible } = decision
  const [shown, setShown] = useState(decision.anchorId)
  const [typed, setTyped] = useState(() => perScore(({ name }) => String(weights[name])))
  const others = scores.some(({ name }) => Number(typed[name]) !== weights[name])
  const sums = others && isWhole(typed) ? tryWeights(candidates, typed) : undefined
  const explained = candidates.find(({ anchorId }) => anchorId === shown) ?? candidates[0]
  return (
    <div className="space-y-8" aria-live="polite">
      <Chosen decision={decision} />
      <section className="space-y-3">
        <h2 className="text-18 font-semibold">{texts.candidates.title(candidates.length, eligible)}</h2>
        <Candidates
          candidates={candidates}
          asset={decision.asset}
          shown={explained?.anchorId}
          onShow={setShown}
          sums={sums}
        />
      </section>
      <div className="grid items-start gap-6 xl:grid-cols-2">
        {explained && <WeightedSum candidate={explained} weights={weights} />}
        <WhatIf
          typed={typed}
          onType={setTyped}
          winner={sums && winnerOf(candidates, sums)}
          chosen={decision.anchorId}
        />
      </div>
      <LeftOut rejected={decision.rejected} />
      <section className="space-y-3">
        <h2 className="text-18 font-semibold">{texts.reasoning}</h2>
        <Panel className="p-4">
          <pre className="font-mono text-13 wrap-anywhere whitespace-pre-wrap">{decision.reasoning}</pre>
        </Panel>
      </section>
    </div>
  )
}

function Chosen({ decision }: { decision: RouteAnswer }) {
  const { slug, domain, amount, asset, rail, region, decidedAt, stale } = decision
  return (
    <div className="space-y-3">
      <Notice
        tone="good"
        title={texts.chosen(slug)}
        actions={
          <CopyButton value={location.origin + paths.routing(decision.decisionId)} what={texts.permalink} />
        }
      >
        <p className="font-mono text-13 wrap-anywhere">{domain}</p>
        <p>{texts.asked(formatAmount(amount), asset, rail, region)}</p>
        <p>
          <time dateTime={decidedAt}>{texts.decidedAt(formatDateTime(decidedAt))}</time>
        </p>
      </Notice>
      {stale && (
        <Notice tone="warn" title={texts.stale.title}>
          {texts.stale.detail}
        </Notice>
      )}
    </div>
  )
}

interface CandidatesProps {
  candidates: readonly Candidate[]
  asset: string
  shown: string | undefined
  onShow(anchorId: string): void
  /** Under other weights, by anchor. */
  sums: ReadonlyMap<string, number> | undefined
}

function Candidates({ candidates, asset, shown, onShow, sums }: CandidatesProps) {
  const { columns, show } = texts.candidates
  const list: Column<Candidate>[] = [
    { head: columns.rank, numeric: true, named: true, className: 'w-16', cell: row => row.rank },
    {
      head: columns.anchor,
      cell: row => (
        <button
          type="button"
          aria-pressed={row.anchorId === shown}
          aria-label={show(row.slug)}
          className="font-medium text-ink after:absolute after:inset-0 hover:text-accent"
          onClick={() => onShow(row.anchorId)}
        >
          {row.slug}
        </button>
      ),
    },
    {
      head: columns.fee,
      numeric: true,
      named: true,
      cell: row => `${formatAmount(row.fee)} ${asset.split(':')[0]}`,
    },
    ...scores.map(({ name, label }): Column<Candidate> => ({
      head: label,
      numeric: true,
      named: true,
      className: 'text-soft',
      cell: row => figure(row.scores[name]),
    })),
    {
      head: columns.score,
      numeric: true,
      named: true,
      className: 'font-medium',
      cell: row => figure(row.score),
    },
  ]
  if (sums) {
    list.push({
      head: columns.whatIf,
      numeric: true,
      named: true,
      className: 'font-medium text-accent',
      cell: row => figure(sums.get(row.anchorId) ?? 0),
    })
  }
  return (
    <Table
      caption={texts.candidates.title(candidates.length, candidates.length)}
      columns={list}
      rows={candidates}
      keyOf={row => row.anchorId}
      isCurrent={row => row.anchorId === shown}
    />
  )
}

const figure = (score: number): string => formatAmount(score.toFixed(2))
