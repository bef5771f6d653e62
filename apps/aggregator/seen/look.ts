import { amountOf, parseAmount, type Amount } from '@windlass/money/amount.ts'
import { depositOf, forComparison } from '@windlass/money/price.ts'
import { formatRate, parseRate, type Rate } from '@windlass/money/rate.ts'
import type { Deps } from '../deps.ts'
import { walkAsWallet, type Walk } from '../external/walk.ts'
import { offerAt } from '../quotes/price.ts'
import { assetId, goesBy, termsFor, type Entry } from '../registry/entry.ts'
import { recordSeen } from '../registry/record-seen.ts'
import { readSeen } from '../registry/seen.ts'
import type { SeenRow } from '../tables.ts'

/** What rates of two sources, and of two moments, may differ by. */
const TOLERANCE = { numerator: 2n, denominator: 100n }
const SAMPLE = amountOf(1_000n * 10n ** 7n)
/** A share is stored to so many digits. */
const DIGITS = 4

/**
 * Does at an anchor of ours what a wallet does, up to the page of a deposit, and compares the price that it names with the
 * terms that the registry has, and that it lets wallets start with its being open.
 */
export async function lookAsWallet(deps: Deps, entry: Entry): Promise<void> {
  const { networkPassphrase } = deps.config
  const walk = await walkAsWallet(deps, {
    ...{ domain: entry.domain, signingKey: entry.signingKey, startsWith: entry.assets },
    ...(networkPassphrase ? { networkPassphrase } : {}),
  })
  const now = deps.clock.now()
  const before = entry.seen.row
  const share = priceDifference(deps, entry, walk)
  const failure = walk.failure ?? null
  const seen: SeenRow = {
    ...(share === null ? {} : { price: { ...again(before.price, now), share } }),
    ...(failure === null ? {} : { start: { ...again(before.start, now), failure } }),
    // Without prices nothing is known of them: what was seen before stays.
    ...(walk.offer === null && before.price ? { price: before.price } : {}),
  }
  await recordSeen(deps, entry, seen, now)
}

const again = (before: { looks: number; since: string } | undefined, now: Date) => ({
  looks: (before?.looks ?? 0) + 1,
  since: before?.since ?? now.toISOString(),
})

/** By which share of it wallets pay more than the anchor's terms say; null: by none that counts. */
function priceDifference({ fx }: Pick<Deps, 'fx'>, entry: Entry, { offer }: Walk): string | null {
  let worst: { over: bigint; under: bigint } | null = null
  // What the terms say, whatever was seen before.
  const stated = { ...entry, seen: readSeen(null, null, entry.spread?.deposit) }
  for (const { code, issuer, terms } of offer?.assets ?? []) {
    if (!entry.assets.some(each => goesBy(each, `${code.toUpperCase()}:${issuer}`)) || !terms.fees) continue
    const fees = { fixed: parseAmount(terms.fees.fixed), percentage: parseRate(terms.fees.percentage) }
    for (const [currency, price] of Object.entries(terms.prices)) {
      const said = statedPrice(fx, stated, { code, issuer }, currency)
      const seen = depositOf(sampleOf(entry), fees, parseRate(price), forComparison).fiat
      if (said === null || said === 0n) continue
      const more = seen - said
      if (more * TOLERANCE.denominator <= said * TOLERANCE.numerator) continue
      if (worst === null || more * worst.under > worst.over * said) worst = { over: more, under: said }
    }
  }
  return worst && shareOf(worst)
}

/** What a deposit of the sample costs by the anchor's terms; over several rails, over the dearest. */
function statedPrice(
  fx: Deps['fx'],
  stated: Entry,
  asset: { code: string; issuer: string },
  currency: string,
): Amount | null {
  const name = assetId(asset)
  const costs = stated.rails.flatMap(rail => {
    const offer = offerAt(fx, stated, { amount: sampleOf(stated), asset: name, rail, currency })
    return offer
      ? depositOf(sampleOf(stated), termsFor(stated, name, rail).fees, offer.fxRate, forComparison).fiat
      : []
  })
  return costs.length === 0 ? null : costs.reduce((a, b) => (a > b ? a : b))
}

const sampleOf = ({ limits: { min, max } }: Entry): Amount =>
  SAMPLE < min ? min : SAMPLE > max ? max : SAMPLE

function shareOf({ over, under }: { over: bigint; under: bigint }): string {
  const scale = 10n ** BigInt(DIGITS)
  const share: Rate = { numerator: (over * scale) / under, digits: DIGITS }
  // No anchor is worse than one that keeps everything.
  return formatRate(share.numerator > scale ? { numerator: scale, digits: DIGITS } : share)
}
