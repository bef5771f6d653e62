import type { Safeguarding } from '@windlass/contracts/anchor/reserves.ts'
import { servedAssets } from '@windlass/contracts/internal/served-assets.ts'
import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import type { Tables } from '../../tables.ts'
import { railsOfBusiness } from '../journal/chart.ts'
import { type Balance, listBalances, unitOf } from '../journal/journal.ts'
import { journalDay, journalSettings } from '../journal/settings.ts'
import { worthIn } from '../pricing/worth.ts'

type Part = Safeguarding['parts'][number]
const UNPROVEN = { side: 'there', account: 'unproven' } as const
const text = (amount: bigint): string => formatAmount(amountOf(amount))

/**
 * What is owed to customers against what is there for them. Owed: units in the hands of others, what transactions under
 * way have received, what is to be returned or unclaimed. There: money at rails that is held for customers, and units of
 * assets that others issue, less what nobody but a person says that a rail received, and what the journal has beyond the
 * balance that a bank states. The business's own accounts, and money between two accounts, are not.
 *
 * @param day at its end; by default now
 */
export async function readSafeguarding(
  deps: Deps,
  db: Db<Tables> = deps.database.db,
  day?: string,
): Promise<Safeguarding> {
  const balances = await listBalances(db, day)
  const ofBusiness = await railsOfBusiness(db)
  const parts = partsOf(deps, balances, ofBusiness)
  // What is proven is known now; what was on an earlier day is not.
  const unproven = day === undefined ? await deps.unproven(db) : []
  for (const { account, unit, amount } of unproven)
    if (!ofBusiness.has(account))
      parts.push({ ...UNPROVEN, currency: dollarsAs(unit), unit, amount: text(-amount) })
  const sums = new Map<string, { owed: bigint; there: bigint }>()
  for (const { currency, side, amount } of parts) {
    const sum = sums.get(currency) ?? { owed: 0n, there: 0n }
    sum[side] += parseAmount(amount)
    sums.set(currency, sum)
  }
  const to = dollarsAs(servedAssets(deps.config.anchor)[0]?.anchoredTo ?? 'USD')
  let total = 0n
  let isShort = false
  const withoutRate: string[] = []
  for (const [currency, { owed, there }] of sums) {
    const worth = worthIn(deps.config, amountOf(there - owed), currency, to)
    if (worth === null) withoutRate.push(currency)
    if (worth === null && there < owed) isShort = true
    total += worth ?? 0n
  }
  return {
    ...{ at: deps.clock.now().toISOString(), day: day ?? null },
    currencies: [...sums].map(([currency, { owed, there }]) => ({
      currency,
      owed: text(owed),
      there: text(there),
    })),
    parts,
    total: { currency: to, difference: text(total) },
    withoutRate,
    isShort: isShort || total < 0n,
  }
}

/** A stablecoin of dollars is owed in dollars. */
const dollarsAs = (currency: string): string => (currency === 'USDC' ? 'USD' : currency)

function partsOf(
  { config }: Pick<Deps, 'config'>,
  balances: readonly Balance[],
  ofBusiness: ReadonlySet<string>,
): Part[] {
  const parts: Part[] = []
  const of = (account: string, unit: string): bigint =>
    parseAmount(balances.find(each => each.account === account && each.unit === unit)?.amount ?? '0')
  const add = (part: Omit<Part, 'amount'>, amount: bigint) => {
    if (amount !== 0n) parts.push({ ...part, amount: text(amount) })
  }
  const assets = new Set<string>()
  for (const { key, anchoredTo, isOwn } of servedAssets(config.anchor)) {
    const unit = unitOf(key)
    const currency = dollarsAs(anchoredTo)
    assets.add(unit)
    const held = of('treasury', unit) + of('cold', unit)
    const ours = { currency, unit }
    if (isOwn) add({ ...ours, side: 'owed', account: 'circulating' }, -of('issued', unit) - held)
    else
      for (const account of ['treasury', 'cold']) add({ ...ours, side: 'there', account }, of(account, unit))
    for (const account of OWED) add({ ...ours, side: 'owed', account }, owedIn(of(account, unit)))
  }
  for (const { account, unit, amount } of balances) {
    if (assets.has(unit)) continue
    const ours = { currency: dollarsAs(unit), unit, account }
    if ((OWED as readonly string[]).includes(account))
      add({ ...ours, side: 'owed' }, owedIn(parseAmount(amount)))
    if (account.startsWith('rail:') && !ofBusiness.has(account))
      add({ ...ours, side: 'there' }, parseAmount(amount))
  }
  return parts
}

const OWED = ['customers', 'suspense', 'unclaimed'] as const

/** What left and is not explained yet pays no debt to customers. */
const owedIn = (balance: bigint): bigint => (balance < 0n ? -balance : 0n)

/** Keeps what the day shows, until the last look of the day. */
export async function recordSafeguarding(deps: Deps): Promise<void> {
  const { db } = deps.database
  const figures = await readSafeguarding(deps)
  const day = await journalDay(db, deps.clock.now())
  await db
    .insertInto('safeguarding_days')
    .values({ day, figures: JSON.stringify(figures) })
    .onConflict(conflict =>
      conflict
        .column('day')
        .doUpdateSet({ figures: JSON.stringify(figures), at: sql<Date>`clock_timestamp()` }),
    )
    .execute()
}

export async function listSafeguardingDays(db: Db<Tables>): Promise<Safeguarding[]> {
  const rows = await db
    .selectFrom('safeguarding_days')
    .select(['day', 'figures'])
    .orderBy('day', 'desc')
    .limit(400)
    .execute()
  return rows.map(({ day, figures }) => ({ ...figures, day }))
}

/** No deposit is agreed while customers' money is short, where the anchor wants that. Throws `validation-failed`. */
export async function requireCovered(deps: Deps, tx: Db<Tables>): Promise<void> {
  if (!(await journalSettings(tx)).stopDepositsWhenShort) return
  if (!(await readSafeguarding(deps, tx)).isShort) return
  throw new Problem('validation-failed', 'Deposits are not available at the moment. Try again later.')
}
