import type { Registration } from '@windlass/contracts/aggregator/registry.ts'
import {
  AmountError,
  formatAmount,
  formatLedgerAmount,
  parseAmount,
  parsePositiveAmount,
} from '@windlass/money/amount.ts'
import { formatRate, parseRate } from '@windlass/money/rate.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import type { OwnTermsRow } from '../tables.ts'
import { demandDatabase } from '../database/demand.ts'
import type { RegistryDeps } from './deps.ts'
import { assetId, describe, secretContext, storeFurther, type Entry, type FurtherCapacity } from './entry.ts'
import {
  deleteAnchor,
  pruneExternal,
  updateDomainCheck,
  upsertAnchor,
  upsertExternal,
  type ExternalLimits,
  type NewAnchor,
  type NewExternal,
  type RegistryFull,
} from './queries.ts'

/**
 * Adds an anchor to the registry or updates it, then probes it and reads its discovery file, so that the answer shows
 * whether it can be routed to. An anchor that does not answer is registered too. Throws `validation-failed`.
 */
export async function register(
  deps: RegistryDeps,
  registration: Registration,
): Promise<{ entry: Entry; isNew: boolean }> {
  const anchor = readRegistration(registration, deps.clock.now(), deps.config.sealer)
  const { row, isNew } = await upsertAnchor(deps.database.db, anchor)
  const entry = deps.index.put(describe(row, deps.config.sealer))
  if (entry.status !== 'removed') {
    await Promise.all([deps.health.probeNow(entry), deps.proveDomain(entry)])
    await deps.health.written()
  }
  return { entry: deps.index.get(entry.id) ?? entry, isNew }
}

/** Adds an external anchor that a wallet can use, or updates what was read from it, and probes it. */
export async function putExternal(
  deps: RegistryDeps,
  anchor: NewExternal,
  limits: ExternalLimits,
): Promise<{ entry: Entry; isNew: boolean } | RegistryFull> {
  const stored = await upsertExternal(deps.database.db, anchor, limits, deps.clock.now())
  if (typeof stored === 'string') return stored
  const entry = deps.index.put(describe(stored.row, deps.config.sealer))
  await deps.health.probeNow(entry)
  await deps.health.written()
  return { entry: deps.index.get(entry.id) ?? entry, isNew: stored.isNew }
}

/** Removes an anchor from the registry; its recorded checks stay until they are pruned. Throws `anchor-not-found`. */
export async function remove(
  deps: Pick<RegistryDeps, 'database' | 'databaseUp' | 'index'>,
  id: string,
): Promise<void> {
  demandDatabase(deps)
  const wasThere = await deleteAnchor(deps.database.db, id)
  deps.index.remove(id)
  if (!wasThere) throw new Problem('anchor-not-found', 'There is no anchor with this id in the registry.')
}

const KEEP_UNUSABLE_MS = 7 * 24 * 3_600_000

/** Removes external anchors that no wallet could use for a week. */
export async function pruneExternalAnchors(db: RegistryDeps['database']['db'], now: Date): Promise<void> {
  await pruneExternal(db, new Date(now.getTime() - KEEP_UNUSABLE_MS))
}

/** Records whether an anchor's domain is proven. */
export async function recordDomainCheck(
  { database, index, clock }: Pick<RegistryDeps, 'database' | 'index' | 'clock'>,
  entry: Entry,
  verified: boolean,
): Promise<void> {
  if (entry.domainVerified === verified) return
  await updateDomainCheck(database.db, entry.id, verified, clock.now())
  const known = index.get(entry.id)
  if (known) index.put({ ...known, domainVerified: verified })
}

/** The row of a registration. Throws `validation-failed` naming every invalid value. */
function readRegistration(given: Registration, now: Date, sealer: Sealer): NewAnchor {
  const mistakes: { path: string; message: string }[] = []
  const read = <T>(path: string, reader: () => T): T | null => {
    try {
      return reader()
    } catch (error) {
      if (!(error instanceof AmountError)) throw error
      mistakes.push({ path, message: error.message })
      return null
    }
  }
  const min = read('limits.min', () => parsePositiveAmount(given.limits.min))
  const max = read('limits.max', () => parsePositiveAmount(given.limits.max))
  const fixed = read('fees.fixed', () => parseNonNegative(given.fees.fixed))
  const percentage = read('fees.percentage', () => parseFraction(given.fees.percentage))
  const own = read('withdrawal', () => readOwnTerms(given))
  if (given.rails.length === 0 && !given.withdrawal)
    mistakes.push({ path: 'rails', message: 'must name at least one rail' })
  const capacity = read('treasury_capacity', () => parseNonNegative(given.treasury_capacity ?? 0))
  const further = read('assets', () => readFurtherCapacity(given))
  if (min !== null && max !== null && min > max) {
    mistakes.push({ path: 'limits', message: 'must have a min that is at most its max' })
  }
  if (!isPlainHttp(given.apiUrl)) {
    mistakes.push({ path: 'apiUrl', message: 'must be an http or https address without credentials' })
  }
  const [first] = mistakes
  if (first || min === null || max === null || fixed === null || percentage === null || capacity === null) {
    throw new Problem('validation-failed', `${first?.path} ${first?.message}.`, { errors: mistakes })
  }
  return {
    id: given.id,
    slug: given.slug,
    name: given.name,
    domain: given.domain,
    api_url: given.apiUrl.replace(/\/{1,9}$/, ''),
    status: given.status,
    regions: unique(given.regions.map(region => region.toUpperCase())),
    assets: JSON.stringify(
      given.assets.map(({ code, issuer, anchoredTo }) => ({ code, issuer, anchoredTo })),
    ),
    rails: unique(given.rails.map(rail => rail.toUpperCase())),
    limit_min: formatLedgerAmount(min),
    limit_max: formatLedgerAmount(max),
    fee_fixed: formatLedgerAmount(fixed),
    fee_percentage: percentage,
    own_terms: own && JSON.stringify(own),
    settlement: given.settlement,
    signing_key: given.signingKey ?? null,
    summary_secret: given.summarySecret ? sealer.seal(given.summarySecret, secretContext(given.id)) : null,
    ...(given.treasury_capacity === undefined ? {} : { treasury_capacity: formatLedgerAmount(capacity) }),
    ...(further ? { further_capacity: JSON.stringify(storeFurther(further)) } : {}),
    domain_checked_at: null,
    last_checked_at: null,
    created_at: now,
    updated_at: now,
  }
}

/** Null: the last known stays. */
function readFurtherCapacity({ assets: [, ...further] }: Registration): FurtherCapacity | null {
  if (further.every(({ capacity }) => capacity === undefined)) return null
  return new Map(further.map(asset => [assetId(asset), parseNonNegative(asset.capacity ?? 0)]))
}

/** Null: nothing differs. */
function readOwnTerms({ withdrawal, railFees = [], spread }: Registration): OwnTermsRow | null {
  if (!withdrawal && railFees.length === 0 && !spread) return null
  const fee = ({ fixed, percentage }: Registration['fees']) => ({
    fixed: formatAmount(parseNonNegative(fixed)),
    percentage: parseFraction(percentage),
  })
  return {
    withdrawal: withdrawal
      ? { rails: unique(withdrawal.rails.map(rail => rail.toUpperCase())), fees: fee(withdrawal.fees) }
      : null,
    railFees: railFees.map(each => ({
      rail: each.rail.toUpperCase(),
      direction: each.direction,
      ...fee(each),
    })),
    ...(spread ? { spread } : {}),
  }
}

function parseNonNegative(input: string | number) {
  const amount = parseAmount(input)
  if (amount < 0n) throw new AmountError('must not be negative')
  return amount
}

function parseFraction(input: string | number): string {
  const rate = parseRate(input)
  if (rate.numerator > 10n ** BigInt(rate.digits)) throw new AmountError('must be a fraction from 0 to 1')
  return formatRate(rate)
}

function isPlainHttp(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, username, password } = new URL(address)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}

const unique = (values: string[]) => [...new Set(values)]
