import { eligibilityRules, type RouteAnswer } from '@windlass/contracts/aggregator/routing.ts'
import { shorten } from '@windlass/ui/formats.ts'
import { Fact, Facts } from '@windlass/ui/page.tsx'
import { Code, Table } from '@windlass/ui/table.tsx'
import { routing } from './texts.ts'

const texts = routing.rejected

/** The excluded anchors, counted by the first rule they fail, with examples. */
export function Excluded({ rejected }: { rejected: RouteAnswer['rejected'] }) {
  const counted = eligibilityRules.flatMap(rule => {
    const count = rejected.byRule[rule] ?? 0
    return count > 0 ? [{ rule, count }] : []
  })
  const all = counted.reduce((sum, { count }) => sum + count, 0)
  return (
    <section className="space-y-3">
      <h2 className="text-18 font-semibold">{texts.title(all)}</h2>
      {all === 0 ? (
        <p className="text-14 text-soft">{texts.none}</p>
      ) : (
        <Facts className="rounded-8 border border-line bg-surface px-4">
          {counted.map(({ rule, count }) => (
            <Fact key={rule} name={texts.rules[rule]}>
              <span className="tabular">{count}</span>
            </Fact>
          ))}
        </Facts>
      )}
      {rejected.examples.length > 0 && (
        <>
          <h3 className="text-14 font-medium">{texts.examples}</h3>
          <Table
            caption={texts.examples}
            rows={rejected.examples}
            keyOf={row => row.anchorId}
            columns={[
              {
                head: texts.columns.anchor,
                className: 'max-sm:w-full',
                cell: row => <Code>{shorten(row.anchorId)}</Code>,
              },
              {
                head: texts.columns.rule,
                className: 'whitespace-nowrap',
                cell: row => nameOf(row.rule),
              },
              {
                head: texts.columns.detail,
                className: 'text-soft wrap-anywhere max-sm:w-full',
                value: row => row.detail,
              },
            ]}
          />
        </>
      )}
    </section>
  )
}

/** The label of a rule; a rule of a later version keeps its own name. */
const nameOf = (rule: string): string =>
  Object.entries<string>(texts.rules).find(([known]) => known === rule)?.[1] ?? rule
