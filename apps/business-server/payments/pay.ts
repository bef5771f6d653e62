import { idOf, isNative, servedAsset } from '@windlass/contracts/internal/served-assets.ts'
import { continueFrom, inSpan } from '@windlass/service/observe/request-context.ts'
import { claimDue, firstDueAt, RETRIES_WITHIN_SECONDS } from '@windlass/service/work/claim-due.ts'
import type { Transaction } from '@stellar/stellar-sdk/base'
import { parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { feeBid, payFee, raiseFee, type FeeRaise } from '@windlass/stellar/fees.ts'
import {
  receiveFault,
  spendableXlm,
  type HorizonAccount,
  type ReceiveFault,
} from '@windlass/stellar/horizon-account.ts'
import type { Horizon, LedgerHead } from '@windlass/stellar/horizon.ts'
import { LedgerError } from '@windlass/stellar/ledger-error.ts'
import { baseAccount, isContract } from '@windlass/stellar/addresses.ts'
import { readEnvelope } from '@windlass/stellar/read-envelope.ts'
import { settle, type EnvelopeStore } from '@windlass/stellar/settle.ts'
import { sql, type RawBuilder } from 'kysely'
import type { Deps } from '../deps.ts'
import { isPaymentBound, UnboundPayment } from './bound-payments.ts'
import { buildPayment, ledgerAsset, simulatePayment, VALID_SECONDS } from './build-payment.ts'
import {
  buildUpkeep,
  countDue,
  freeChannels,
  hasForeignChannels,
  isUpkeep,
  planChannels,
  requireOwnChannels,
} from './channels.ts'
import { endReclaim, isClaimed, mayLockReserve, reclaimedBalance } from './claimable-balances.ts'
import { envelopesOf } from './envelopes.ts'
import { cancelPayment, IS_STRANGERS, isStrangers } from './ledger-payments.ts'
import { isChainProven } from './observe.ts'
import { postpone, waitForAccount, waitForTreasury, XlmShortage } from './payment-waits.ts'
import { recordPaid } from './record-paid.ts'
import type { LedgerPayment, Tables } from '../tables.ts'
import { buildDeployment, simulateDeployment } from './deploy-contract.ts'
import { isHeldBack } from './hold-payments.ts'
import { recordUnknown } from './record-unknown.ts'
import { adoptUnrecorded } from './unrecorded.ts'
import { lacksPayment } from './unproven.ts'
import { restoredAt } from './restored.ts'
import { isMade } from './second-source.ts'
import { originOf } from '../transfers/find.ts'
import { readHolding } from '../money/treasury/treasury.ts'

const QUEUED = {
  table: 'ledger_payments',
  dueAt: 'next_try_at',
  where: sql`state = 'queued'`,
  longestSeconds: RETRIES_WITHIN_SECONDS,
}

/** For the due work. */
export const ledgerPaymentsDueAt = firstDueAt(QUEUED)

/**
 * Pays what is queued: one payment after the other with the distribution account's own sequence numbers, and beside it
 * one in each free channel. Channels are planned again whenever payments may have been queued, and after each payment.
 */
export async function payQueued(deps: Deps): Promise<void> {
  if (!(await isChainProven(deps))) return
  const { db } = deps.database
  const running = new Map<string | null, Promise<void>>()
  const taken = new Set<string>()
  const failures: unknown[] = []
  const together = { ...deps, horizon: shareReads(deps.horizon, deps.config.anchor.accounts.distribution) }
  let planning: Promise<void> | null = null
  const start = async (): Promise<void> => {
    const due = await countDue(db)
    // Payments go out without more channels too, such as while Horizon limits routine requests.
    await planChannels(deps, due).catch((error: unknown) =>
      deps.logger.warn({ err: error }, 'no channels were planned'),
    )
    const most = running.has(null) ? due : due - 1
    const idle = most > 0 ? (await freeChannels(db)).filter(channel => !running.has(channel)) : []
    const free = idle.slice(0, most)
    for (const channel of [null, ...free]) {
      if (running.has(channel)) continue
      const ended = payIn(channel === null ? deps : together, channel, { taken, plan })
        .catch((error: unknown) => failures.push(error))
        .then(() => void running.delete(channel))
      running.set(channel, ended)
    }
  }
  /** One at a time, for all who ask meanwhile. */
  const plan = (): Promise<void> => (planning ??= start().finally(() => (planning = null)))
  const onQueued = (): void => void plan().catch((error: unknown) => failures.push(error))
  await plan()
  deps.wake.on('ledgerPayments', onQueued)
  while (running.size > 0) await Promise.all(running.values())
  deps.wake.off('ledgerPayments', onQueued)
  if (failures.length > 0) throw failures[0]
}

const SHARED_MS = 1_000

/** What payments in channels ask alike is asked once in a second: each answer still proves what it did. */
function shareReads(horizon: Horizon, treasury: string): Horizon {
  const kept = new Map<string, { at: number; answer: Promise<unknown> }>()
  const once = <T>(what: string, ask: () => Promise<T>): Promise<T> => {
    const before = kept.get(what)
    if (before && performance.now() - before.at < SHARED_MS) return before.answer as Promise<T>
    const answer = ask()
    kept.set(what, { at: performance.now(), answer })
    return answer
  }
  const shared: Pick<Horizon, 'head' | 'feeStats' | 'account'> = {
    head: () => once('head', () => horizon.head()),
    feeStats: () => once('fees', () => horizon.feeStats()),
    account: id => (id === treasury ? once('treasury', () => horizon.account(id)) : horizon.account(id)),
  }
  return Object.assign(Object.create(horizon) as Horizon, shared)
}

interface Round {
  /** Payments that are in hand. */
  taken: Set<string>
  /** Pays in channels that are free by now, and opens some where many payments wait. */
  plan(): Promise<void>
}

/** Pays one payment after the other in a channel; null: with the distribution account's own sequence numbers. */
async function payIn(deps: Deps, channel: string | null, { taken, plan }: Round): Promise<void> {
  for (;;) {
    const next = await takeNext(deps, channel, taken)
    if (!next) return
    taken.add(next.id)
    const origin = await originOf(deps.database.db, next.transfer_id)
    const isPaid = await continueFrom(origin, `pay ${next.purpose}`, () =>
      inSpan('attempt', () => payOne(deps, next, channel)).then(
        () => true,
        (error: unknown) => postpone(deps, next, error).then(() => false),
      ),
    ).finally(() => taken.delete(next.id))
    // Its next sequence number may be taken.
    if (channel !== null && !isPaid) return
    await plan()
  }
}

async function takeNext(
  { database }: Deps,
  channel: string | null,
  taken: ReadonlySet<string>,
): Promise<LedgerPayment | null> {
  const ours = channel === null ? sql`` : sql`and purpose <> 'close-channels'`
  const claim = (which: RawBuilder<unknown>) =>
    claimDue<LedgerPayment, Tables>(database.db, {
      ...{ ...QUEUED, leaseSeconds: 10, limit: 1 },
      where: sql`${QUEUED.where} and id <> all(${[...taken]}::uuid[]) ${ours} and ${which}`,
    })
  const [next] = await claim(sql`not ${IS_STRANGERS}`)
  if (next || channel !== null) return next ?? null
  const [ofStranger] = await claim((await turnOfStranger(database.db, taken)) ?? IS_STRANGERS)
  return ofStranger ?? null
}

/** The same for an account and its muxed addresses: the first letter is the kind of address, and what follows its key. */
const accountOf = (address: string) => sql<string>`substr(${sql.ref(address)}, 2, 51)`

/**
 * The next refund of a stranger: accounts take turns, however many addresses of one wait (docs/adr/0214). Null: none is due.
 */
async function turnOfStranger(
  db: Db<Tables>,
  taken: ReadonlySet<string>,
): Promise<RawBuilder<unknown> | null> {
  const { rows } = await sql<{ id: string }>`
    with waiting as (
      select distinct on (account) ${accountOf('destination')} as account, id, next_try_at
      from ledger_payments
      where state = 'queued' and next_try_at <= now() and id <> all(${[...taken]}::uuid[]) and ${IS_STRANGERS}
      order by account, next_try_at)
    select id from waiting order by (
      select max(paid.paid_at) from ledger_payments paid
      where paid.purpose = 'refund' and ${accountOf('paid.destination')} = account
        and paid.paid_at > now() - interval '1 hour') nulls first, next_try_at
    limit 1`.execute(db)
  return rows[0] ? sql`id = ${rows[0].id}` : null
}

async function payOne(deps: Deps, payment: LedgerPayment, channel: string | null): Promise<void> {
  deps.faults.at('payment:taken')
  const store = envelopesOf(deps, payment.id)
  const open = (await store.current()) ?? (await adopted(deps, payment, store))
  if (!open) await requireBound(deps, payment)
  const reclaimed = reclaimedBalance(payment)
  if (!open && payment.purpose === 'close-channels' && !(await hasForeignChannels(deps.database.db)))
    return cancelUpkeep(deps, payment)
  if (!open && reclaimed && (await isClaimed(deps, reclaimed))) return endReclaim(deps, payment, reclaimed)
  // What is taken back is paid to nobody.
  const screened = payment.purpose !== 'reclaim'
  const goesBack = payment.purpose === 'refund'
  if (!open && screened && (await isHeldBack(deps, 'ledger_payments', { ...payment, goesBack }))) return
  // Customers' payments need the requests that have priority: nobody waits for these.
  const asking = isStrangers(payment) ? { ...deps, horizon: deps.routineHorizon } : deps
  const reach = open || reclaimed || isUpkeep(payment) ? 'payment' : await howToReach(asking, payment)
  if (!isReachable(reach)) return waitForAccount(deps, payment, reach)
  // A payment that the ledger must refuse costs a fee each time it is tried.
  if (!open && payment.asset !== 'native' && !reclaimed) {
    const { payable, fault } = await readHolding(deps, payment.asset)
    if (fault) return waitForTreasury(deps, payment, 'treasury-frozen')
    if (payable < parseAmount(payment.amount)) return waitForTreasury(deps, payment, 'treasury-short')
  }
  let treasury: HorizonAccount | null = null
  await settle({
    horizon: deps.horizon,
    store,
    isMade: shown => isMade(deps, shown),
    isContradicted: () => lacksPayment(deps, payment),
    isDone: async () => {
      if (payment.purpose === 'close-channels') {
        treasury = await recordUnknown(deps, 'of-channels')
        return false
      }
      treasury = await recordUnknown(deps, channel === null ? 'to-sign' : 'to-sign-together')
      await requireOwnChannels(deps.database.db)
      return adoptUnrecorded(deps, payment)
    },
    build: async head => {
      await requireBound(deps, payment)
      return buildWithXlm(deps, payment, { treasury, channel }, head, reach)
    },
    raiseFee: xdr => raiseFee(xdr, feeRaise(deps)),
    wrap: xdr => wrap(deps, xdr),
  })
  const applied = await store.current()
  if (!applied) throw new Error('a settled payment has no envelope')
  // What was paid through the channels before they were closed.
  if (payment.purpose === 'close-channels') await recordUnknown(deps, 'of-channels', applied.sequence)
  await recordPaid(deps, payment, applied)
  deps.faults.at('payment:noted')
}

/** Throws {@link UnboundPayment}, before anything is signed. */
async function requireBound(deps: Deps, payment: LedgerPayment): Promise<void> {
  if (!(await isPaymentBound(deps, deps.database.db, payment))) throw new UnboundPayment()
}

/** Ends a payment that was to close channels which are closed already. */
async function cancelUpkeep({ database }: Deps, { id }: LedgerPayment): Promise<void> {
  await database.db.transaction().execute(tx => cancelPayment(tx, id))
}

/** A channel has no XLM: the distribution account pays the fee. */
async function wrap(deps: Deps, xdr: string): Promise<string> {
  const { accounts, network } = deps.config.anchor
  const { source } = readEnvelope(xdr, network.passphrase)
  return source === accounts.distribution ? xdr : payFee(xdr, feeRaise(deps))
}

/** After an older state was restored: the payment may have been made, and then nothing else about it is to be done. */
async function adopted(
  deps: Deps,
  payment: LedgerPayment,
  store: EnvelopeStore,
): Promise<Awaited<ReturnType<EnvelopeStore['current']>>> {
  const restored = await restoredAt(deps.database.db)
  if (restored === null) return null
  // What is queued later follows from what was read since, and closing channels reads by itself.
  if (payment.created_at <= restored && !isUpkeep(payment)) await recordUnknown(deps, 'to-sign')
  return (await adoptUnrecorded(deps, payment)) ? store.current() : null
}

const feeRaise = ({ config, horizon, distribution }: Deps): FeeRaise => ({
  horizon,
  max: config.maxFee,
  networkPassphrase: config.anchor.network.passphrase,
  payer: distribution,
})

/** Who may claim a balance: the customer and the anchor. */
const CLAIMANTS = 2n

/** Throws {@link XlmShortage} before anything is signed: a transaction without enough XLM is refused, for a fee. */
async function buildWithXlm(
  deps: Deps,
  payment: LedgerPayment,
  { treasury, channel }: { treasury: HorizonAccount | null; channel: string | null },
  head: LedgerHead,
  reach: Reach,
): Promise<Transaction> {
  const asClaimable = reach === 'claimable'
  const { config, horizon } = deps
  const source = channel === null ? treasury : await horizon.account(channel)
  if (!treasury || !source) {
    throw new LedgerError('ledger-unavailable', 'The account is not on the ledger.')
  }
  const fee = await feeBid(horizon, config.maxFee)
  // A claimable balance holds a reserve of its creator for each claimant until it is claimed.
  const isXlm = ledgerAsset(config.anchor, payment.asset).isNative()
  const amount = isXlm && !reclaimedBalance(payment) ? parseAmount(payment.amount) : 0n
  const isDeployment = payment.purpose === 'deploy-contract'
  const resources = isDeployment
    ? await simulateDeployment(deps, payment, { source, head, fee })
    : isContract(payment.destination)
      ? await simulatePayment(deps, payment, source, head, fee)
      : undefined
  const reserve = asClaimable ? CLAIMANTS * head.baseReserve : 0n
  const needed = fee + (resources?.resourceFee ?? 0n) + amount + reserve
  const missing = needed - spendableXlm(treasury, head.baseReserve)
  if (missing > 0n) throw new XlmShortage(missing)
  if (isDeployment && resources) return buildDeployment(deps, payment, { source, head, fee, resources })
  if (isUpkeep(payment)) {
    const maxTime = Math.floor(head.closedAt.getTime() / 1_000) + VALID_SECONDS
    const upkeep = await buildUpkeep(deps, payment, { treasury, source, head, fee, maxTime })
    if (upkeep) return upkeep
    throw new LedgerError('ledger-unavailable', 'Payments through the channels are still open.')
  }
  const reclaimed = reclaimedBalance(payment)
  return buildPayment(deps, payment, source, head, {
    ...{ asClaimable, opensAccount: reach === 'account', fee },
    ...(reclaimed ? { reclaimed } : {}),
    ...(resources ? { resources } : {}),
  })
}

/** `account`: XLM opens the account that is paid. */
type Reach = 'payment' | 'claimable' | 'account'

const isReachable = (reach: string): reach is Reach =>
  reach === 'payment' || reach === 'claimable' || reach === 'account'

/** Base reserves with which an account can be opened. */
const ACCOUNT_RESERVES = 2n

/**
 * A claimable balance where the account cannot receive the asset and the wallet understands them, and a new account where
 * XLM is paid that is enough for one; else the reason.
 */
async function howToReach(
  { horizon, config, database }: Deps,
  payment: LedgerPayment,
): Promise<Reach | 'memo-required' | ReceiveFault> {
  // It has no trustlines: the asset's contract keeps what it holds.
  if (isContract(payment.destination)) return 'payment'
  const base = baseAccount(payment.destination)
  const account = await horizon.account(base)
  // A muxed address says by itself whose the money is.
  if (account?.memoRequired && payment.memo === null && base === payment.destination) return 'memo-required'
  // Who has an account can receive XLM; who has none is said to need a trustline of the first asset too.
  const asset = servedAsset(config.anchor, payment.asset === 'native' ? null : payment.asset)
  if (account && (base === asset.issuer || payment.asset === 'native')) return 'payment'
  const amount = parseAmount(payment.amount)
  const fault = receiveFault(account, idOf(asset), amount)
  if (fault === null) return 'payment'
  // A muxed address is of someone who keeps accounts of others: theirs exists.
  const mayOpen = fault === 'no-account' && base === payment.destination && payment.asset !== 'native'
  if (mayOpen && isNative(asset) && amount >= ACCOUNT_RESERVES * (await horizon.head()).baseReserve)
    return 'account'
  return payment.claimable && (await mayLockReserve(database.db, payment)) ? 'claimable' : fault
}
