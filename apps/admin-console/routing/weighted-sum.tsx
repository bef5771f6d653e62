import type { Candidate, Weights } from '@windlass/contracts/routing.ts'
import { formatAmount } from '@windlass/ui/formats.ts'
import { Panel } from '@windlass/ui/page.tsx'
import { routing } from '../texts/routing.ts'
import { termsOf } from './sum.ts'

const texts = routing.sum

/** The four products that make a candidate's score, each as a bar and as a line of arithmetic. */
export function WeightedSum({ candidate, weights }: { candidate: Candidate; weights: Weights }) {
  const terms = termsOf(candidate.scores, weights)
  return (
    <Panel className="space-y-4 p-4 sm:p-5">
      <h2 className="font-semibold">{texts.title(candidate.slug)}</h2>
      <dl className="space-y-3">
        {terms.map(({ label, score, weight, product }) => (
          <div key={label} className="grid grid-cols-[1fr_auto] gap-x-4 text-14">
            <dt>{label}</dt>
            <dd className="tabular">{texts.term(figure(score), String(weight), figure(product))}</dd>
            <dd className="col-span-2">
              {/* Drawn by SVG attributes: the page's policy takes no inline style. The light part is what it could be. */}
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
          <dt>{texts.whole}</dt>
          <dd className="tabular">{figure(candidate.score)}</dd>
        </div>
      </dl>
    </Panel>
  )
}

const figure = (value: number): string => formatAmount(value.toFixed(2))
