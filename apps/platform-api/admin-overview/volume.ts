import { Figures, getFigures } from '@windlass/contracts/anchor/developer-api.ts'
import type { Volume } from '@windlass/contracts/platform/volume.ts'
import { add, amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import Value from 'typebox/value'
import { type AnchorRow, listActive } from '../anchors/anchors.ts'
import type { Deps } from '../deps.ts'
import { clientOfAnchor } from '../workspaces/anchor-server.ts'

/** More are named as missing: an administrator's page asks each of them. */
const ANCHORS = 100
const KEPT_MS = 60_000

interface Asset {
  /** As the anchor's server knows it; undefined: its first one. */
  key: string | undefined
  code: string
}

/** What anchors moved, at most a minute old: administrators' pages that are open all day ask again and again. */
export function volumes(deps: Deps): (days: number) => Promise<Volume> {
  const kept = new Map<number, { at: number; volume: Promise<Volume> }>()
  return days => {
    const now = deps.clock.now().getTime()
    const known = kept.get(days)
    if (known && now - known.at < KEPT_MS) return known.volume
    const volume = askAll(deps, days)
    kept.set(days, { at: now, volume })
    volume.catch(() => kept.delete(days))
    return volume
  }
}

async function askAll(deps: Deps, days: number): Promise<Volume> {
  const active = await listActive(deps.database.db)
  // A question would wake those that sleep.
  const awake = active.filter(({ asleep_since }) => asleep_since === null).slice(0, ANCHORS)
  const signal = AbortSignal.timeout(deps.anchorAnswersWithinMs)
  const answers = await Promise.all(
    awake.map(async anchor => ({ anchor, figures: await figuresOf(deps, anchor, days, signal) })),
  )
  const counted = answers.flatMap(({ anchor, figures }) =>
    (figures ?? []).map(each => ({ anchor: nameOf(anchor), ...each })),
  )
  const answered = new Set(counted.map(({ anchor }) => anchor.id))
  return {
    at: deps.clock.now().toISOString(),
    days: byDay(
      counted.map(({ figures }) => figures),
      days,
      deps.clock.now(),
    ),
    assets: counted.map(({ anchor, code, figures }) => ({
      ...{ anchor, code },
      deposits: totalOf(figures, 'deposits'),
      withdrawals: totalOf(figures, 'withdrawals'),
    })),
    // Each asset's answer has all money of the anchor: the first one's is enough.
    rails: byRail(counted.filter(({ isFirst }) => isFirst).flatMap(({ figures }) => figures.cash ?? [])),
    missing: active.filter(({ id }) => !answered.has(id)).map(nameOf),
  }
}

const nameOf = ({ id, subdomain }: Pick<AnchorRow, 'id' | 'subdomain'>) => ({ id, subdomain })

/** Figures of each asset of an anchor; null where it did not answer, or not as it should. */
async function figuresOf(deps: Deps, anchor: AnchorRow, days: number, signal: AbortSignal) {
  const { asset, furtherAssets = [] } = anchor.plan
  const assets: Asset[] = [
    { key: undefined, code: asset.code },
    ...furtherAssets.map(({ code, issuer }) => ({ key: `${code}:${issuer}`, code })),
  ]
  try {
    const client = clientOfAnchor(deps, anchor)
    return await Promise.all(
      assets.map(async ({ key, code }) => {
        const query = { days, ...(key === undefined ? {} : { asset: key }) }
        const figures = await client.call(getFigures, { query, signal })
        if (!Value.Check(Figures, figures) || figures.days.length !== days)
          throw new Error('its answer is not what was asked for')
        return { code, figures, isFirst: key === undefined }
      }),
    )
  } catch (error) {
    deps.logger.warn({ err: error, anchorId: anchor.id }, 'an anchor did not say what it moved')
    return null
  }
}

const DAY_MS = 86_400_000

/** Days are ours: an anchor's server names no others. */
function byDay(all: readonly Figures[], count: number, now: Date): Volume['days'] {
  const rows = all.flatMap(figures => figures.days)
  return Array.from({ length: count }, (_, at) => {
    const day = new Date(now.getTime() - (count - 1 - at) * DAY_MS).toISOString().slice(0, 10)
    const of = rows.filter(row => row.day === day)
    return {
      day,
      deposits: of.reduce((sum, row) => sum + row.deposits.count, 0),
      withdrawals: of.reduce((sum, row) => sum + row.withdrawals.count, 0),
    }
  })
}

const sumOf = (amounts: readonly string[]): string =>
  formatAmount(amounts.map(parseAmount).reduce(add, amountOf(0n)))

function totalOf({ days }: Figures, side: 'deposits' | 'withdrawals') {
  return {
    count: days.reduce((sum, day) => sum + day[side].count, 0),
    amount: sumOf(days.map(day => day[side].amount)),
  }
}

function byRail(cash: NonNullable<Figures['cash']>): Volume['rails'] {
  const rows = Map.groupBy(cash, ({ rail, currency }) => `${currency} ${rail}`)
  return [...rows.keys()].toSorted().map(key => {
    const of = rows.get(key) ?? []
    const [currency = '', rail = ''] = key.split(/ (.*)/s)
    return { rail, currency, in: sumOf(of.map(row => row.in)), out: sumOf(of.map(row => row.out)) }
  })
}
