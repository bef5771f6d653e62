import {
  perScore,
  scores,
  type Candidate,
  type RouteAnswer,
  type Weights,
} from '@windlass/contracts/aggregator/routing.ts'
import { AmountInput } from '@windlass/ui/amount-field.tsx'
import { CopyButton } from '@windlass/ui/copy-button.tsx'
import { formatAmount, formatDateTime } from '@windlass/ui/formats.ts'
import { Notice } from '@windlass/ui/notice.tsx'
import { Panel } from '@windlass/ui/page.tsx'
import { type Column, Table } from '@windlass/ui/table.tsx'
import { useId, useState } from 'react'
import { controlBorder, controlLook, Labelled } from '@windlass/ui/field.tsx'
import { Link } from 'react-router'
import { paths } from '../paths.ts'
import {
  isWhole,
  millionths,
  termsOf,
  sumsUnder,
  type TypedWeights,
  WEIGHT_DECIMALS,
  winnerOf,
} from './weights.ts'
import { routing as texts } from './texts.ts'
import { Excluded } from './excluded.tsx'

/** A routing decision: the winner, the scores of all candidates, the excluded anchors and the explanation. */
export function DecisionView({ decision }: { decision: RouteAnswer }) {
  const { candidates, weights, eligible } = decision
  const [selected, setSelected] = useState(decision.anchorId)
  const [typed, setTyped] = useState(() => perScore(({ name }) => String(weights[name])))
  const changed = scores.some(({ name }) => Number(typed[name]) !== weights[name])
  const sums = changed && isWhole(typed) ? sumsUnder(candidates, typed) : undefined
  const explained = candidates.find(({ anchorId }) => anchorId === selected) ?? candidates[0]
  return (
    <div className="space-y-8" aria-live="polite">
      <Chosen decision={decision} />
      <section className="space-y-3">
        <h2 className="text-18 font-semibold">{texts.candidates.title(candidates.length, eligible)}</h2>
        <Candidates
          candidates={candidates}
          asset={decision.asset}
          selected={explained?.anchorId}
          onSelect={setSelected}
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
      <Excluded rejected={decision.rejected} />
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
        <p>{texts.request(formatAmount(amount), asset, rail, region)}</p>
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
  selected: string | undefined
  onSelect(anchorId: string): void
  /** Under other weights, by anchor ID. */
  sums: ReadonlyMap<string, number> | undefined
}

function Candidates({ candidates, asset, selected, onSelect, sums }: CandidatesProps) {
  const { columns, show } = texts.candidates
  const list: Column<Candidate>[] = [
    { head: columns.rank, numeric: true, named: true, className: 'w-16', value: row => row.rank },
    {
      head: columns.anchor,
      cell: row => (
        <button
          type="button"
          aria-pressed={row.anchorId === selected}
          aria-label={show(row.slug)}
          className="font-medium text-ink after:absolute after:inset-0 hover:text-accent"
          onClick={() => onSelect(row.anchorId)}
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
      cell: row => formatScore(row.scores[name]),
    })),
    {
      head: columns.score,
      numeric: true,
      named: true,
      className: 'font-medium',
      cell: row => formatScore(row.score),
    },
  ]
  if (sums) {
    list.push({
      head: columns.whatIf,
      numeric: true,
      named: true,
      className: 'font-medium text-accent',
      cell: row => formatScore(sums.get(row.anchorId) ?? 0),
    })
  }
  return (
    <Table
      caption={texts.candidates.title(candidates.length, candidates.length)}
      columns={list}
      rows={candidates}
      keyOf={row => row.anchorId}
      isCurrent={row => row.anchorId === selected}
    />
  )
}

const formatScore = (score: number): string => formatAmount(score.toFixed(2))

/** The products that sum to a candidate's score, each as a bar and as a formula. */
function WeightedSum({ candidate, weights }: { candidate: Candidate; weights: Weights }) {
  const terms = termsOf(candidate.scores, weights)
  return (
    <Panel className="space-y-4 p-4 sm:p-5">
      <h2 className="font-semibold">{texts.sum.title(candidate.slug)}</h2>
      <dl className="space-y-3">
        {terms.map(({ label, score, weight, product }) => (
          <div key={label} className="grid grid-cols-[1fr_auto] gap-x-4 text-14">
            <dt>{label}</dt>
            <dd className="tabular">
              {texts.sum.term(formatScore(score), String(weight), formatScore(product))}
            </dd>
            <dd className="col-span-2">
              {/* SVG attributes, because the content security policy forbids inline styles. The light part is the maximum. */}
              <svg
                viewBox="0 0 100 1"
                preserveAspectRatio="none"
                aria-hidden="true"
                className="mt-1 h-2 w-full rounded-full bg-hover"
              >
                <rect width={weight * 100} height="1" className="fill-accent-tint" />
                <rect width={product} height="1" className="fill-accent" />
              </svg>
            </dd>
          </div>
        ))}
        <div className="flex justify-between gap-4 border-t border-line pt-3 text-14 font-semibold">
          <dt>{texts.sum.whole}</dt>
          <dd className="tabular">{formatScore(candidate.score)}</dd>
        </div>
      </dl>
    </Panel>
  )
}

interface WhatIfProps {
  typed: TypedWeights
  onType(weights: TypedWeights): void
  /** Under the typed weights; absent while they are the decision's own or invalid. */
  winner: Candidate | undefined
  /** The anchor ID that the decision chose. */
  chosen: string
}

/** Applies other weights to the candidates while they are typed. */
function WhatIf({ typed, onType, winner, chosen }: WhatIfProps) {
  const id = useId()
  const result = !isWhole(typed)
    ? texts.whatIf.sumWrong
    : winner && (winner.anchorId === chosen ? texts.whatIf.same : texts.whatIf.wins(winner.slug))
  return (
    <Panel className="space-y-4 p-4 sm:p-5">
      <div>
        <h2 className="font-semibold">{texts.whatIf.title}</h2>
        <p className="text-14 text-soft">{texts.whatIf.lead}</p>
      </div>
      <div className="grid grid-cols-2 gap-4">
        {scores.map(({ name, label }) => (
          <Labelled key={name} id={id + name} label={label}>
            <AmountInput
              id={id + name}
              value={typed[name]}
              decimals={WEIGHT_DECIMALS}
              onValue={weight => onType({ ...typed, [name]: weight })}
              className={`${controlLook} ${controlBorder(millionths(typed[name]) === undefined ? 'wrong' : undefined)}`}
            />
          </Labelled>
        ))}
      </div>
      <p role="status" className="min-h-5 text-14 font-medium">
        {result}
      </p>
      <Link to={paths.policy()} className="link text-14">
        {texts.whatIf.policy}
      </Link>
    </Panel>
  )
}
