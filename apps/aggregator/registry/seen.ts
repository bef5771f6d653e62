import type { RegistryEntry } from '@windlass/contracts/aggregator/registry.ts'
import { parseRate, type Rate } from '@windlass/money/rate.ts'
import type { SeenRow } from '../tables.ts'

/** What wallets see of an anchor, beside what it says. */
export interface Seen {
  row: SeenRow
  at: Date | null
  /** What counts, since it was seen again and again. */
  differences: readonly Difference[]
  /** Its share of the exchange rate in deposits as wallets find it; null: none. One object for as long as nothing changes. */
  spread: Rate | null
  /** Wallets cannot start anything there. */
  refusesStarts: boolean
}

type Difference = NonNullable<RegistryEntry['differences']>[number]

/** An anchor that is upgraded, or whose rates have just moved, differs once. */
const LOOKS_THAT_COUNT = 3

export function readSeen(row: SeenRow | null, at: Date | null, stated: Rate | undefined): Seen {
  const { price, start } = row ?? {}
  const differences: Difference[] = [
    ...(price && counts(price) ? [{ kind: 'price' as const, since: price.since, share: price.share }] : []),
    ...(start && counts(start)
      ? [{ kind: 'start' as const, since: start.since, failure: start.failure }]
      : []),
  ]
  const own = stated?.numerator ? stated : null
  return {
    ...{ row: row ?? {}, at, differences },
    spread: price && counts(price) ? sum(own, parseRate(price.share)) : own,
    refusesStarts: differences.some(({ kind }) => kind === 'start'),
  }
}

const counts = ({ looks }: { looks: number }): boolean => looks >= LOOKS_THAT_COUNT

function sum(one: Rate | null, other: Rate): Rate {
  if (one === null) return other
  const digits = Math.max(one.digits, other.digits)
  const scaled = (rate: Rate) => rate.numerator * 10n ** BigInt(digits - rate.digits)
  return { numerator: scaled(one) + scaled(other), digits }
}
