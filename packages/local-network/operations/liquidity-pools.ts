import { createHash } from 'node:crypto'
import { xdr } from '@stellar/stellar-sdk'
import { publicKeyOf } from '../ledger/addresses.ts'
import { amountText, priceText } from '../ledger/amounts.ts'
import { assetXdr, type AssetName } from '../ledger/assets.ts'
import { int64Max, LineFlag, poolKey, type LiquidityPool, type Price } from '../ledger/entries.ts'
import { isHeldFrozen } from '../ledger/frozen.ts'
import type { Change, LedgerState } from '../ledger/state.ts'
import { least, squareRoot } from './exchange.ts'
import { addBalance, available, isIssuer, room, usable } from './holdings.ts'
import type { Ending, Operation, OperationOutcome, Scope } from './operation.ts'
import { addSponsoring, createEntry, removeEntry } from './reserves.ts'

const Deposit = xdr.LiquidityPoolDepositResult
const deposited = (code: xdr.LiquidityPoolDepositResult) => xdr.OperationResultTr.liquidityPoolDeposit(code)
const Withdraw = xdr.LiquidityPoolWithdrawResult
const withdrawn = (code: xdr.LiquidityPoolWithdrawResult) => xdr.OperationResultTr.liquidityPoolWithdraw(code)

const poolIdText = (id: xdr.PoolId) => Buffer.from(id.value).toString('hex')

export function liquidityPoolDeposit(op: xdr.LiquidityPoolDepositOp): Operation {
  const id = poolIdText(op.liquidityPoolId)
  const { minPrice, maxPrice } = op
  return {
    type: 'liquidity_pool_deposit',
    typeNumber: 22,
    threshold: 'medium',
    moves: false,
    untried: deposited(Deposit.liquidityPoolDepositSuccess()),
    affects: [],
    malformed: () =>
      op.maxAmountA <= 0n ||
      op.maxAmountB <= 0n ||
      [minPrice.n, minPrice.d, maxPrice.n, maxPrice.d].some(part => part <= 0) ||
      BigInt(minPrice.n) * BigInt(maxPrice.d) > BigInt(minPrice.d) * BigInt(maxPrice.n)
        ? deposited(Deposit.liquidityPoolDepositMalformed())
        : undefined,
    apply: scope => applyDeposit(op, id, scope),
    record(_source, ending) {
      const { before, after } = poolChange(ending.changes, id)
      const added = (side: 'reserveA' | 'reserveB' | 'shares') =>
        (after?.[side] ?? 0n) - (before?.[side] ?? 0n)
      return {
        liquidity_pool_id: id,
        reserves_max: reserveRecords(after, op.maxAmountA, op.maxAmountB),
        min_price: priceText(minPrice.n, minPrice.d),
        min_price_r: { n: minPrice.n, d: minPrice.d },
        max_price: priceText(maxPrice.n, maxPrice.d),
        max_price_r: { n: maxPrice.n, d: maxPrice.d },
        reserves_deposited: reserveRecords(after, added('reserveA'), added('reserveB')),
        shares_received: amountText(added('shares')),
      }
    },
  }
}

function applyDeposit(
  op: xdr.LiquidityPoolDepositOp,
  id: string,
  { state, source, ledger }: Scope,
): OperationOutcome {
  const line = state.trustLine(source, id)
  const pool = state.pool(id)
  if (!line || !pool) return deposited(Deposit.liquidityPoolDepositNoTrust())
  const { assetA, assetB } = pool
  if ([assetA, assetB].some(asset => usable(state, source, asset) !== 'usable'))
    return deposited(Deposit.liquidityPoolDepositNotAuthorized())
  if (isHeldFrozen(ledger.frozen, source, assetA, assetB))
    return deposited(Deposit.liquidityPoolDepositTrustlineFrozen())
  const { a, b, shares } = depositAmounts(pool, op.maxAmountA, op.maxAmountB)
  if (available(state, source, assetA) < a || available(state, source, assetB) < b)
    return deposited(Deposit.liquidityPoolDepositUnderfunded())
  if (isBadPrice(a, b, op.minPrice, op.maxPrice)) return deposited(Deposit.liquidityPoolDepositBadPrice())
  if (line.limit - line.balance < shares) return deposited(Deposit.liquidityPoolDepositLineFull())
  if (int64Max - a < pool.reserveA || int64Max - b < pool.reserveB || int64Max - shares < pool.shares)
    return deposited(Deposit.liquidityPoolDepositPoolFull())
  addBalance(state, source, assetA, -a)
  addBalance(state, source, assetB, -b)
  state.put({ ...line, balance: line.balance + shares })
  state.put({
    ...pool,
    reserveA: pool.reserveA + a,
    reserveB: pool.reserveB + b,
    shares: pool.shares + shares,
  })
  return deposited(Deposit.liquidityPoolDepositSuccess())
}

/** The first deposit sets the price; a later one follows it, within its limits. */
function depositAmounts({ reserveA, reserveB, shares: total }: LiquidityPool, maxA: bigint, maxB: bigint) {
  if (total === 0n) return { a: maxA, b: maxB, shares: squareRoot(maxA * maxB) }
  const shares = least((total * maxA) / reserveA, (total * maxB) / reserveB)
  const part = (reserve: bigint) => (shares * reserve + total - 1n) / total
  return { a: part(reserveA), b: part(reserveB), shares }
}

function isBadPrice(a: bigint, b: bigint, least: Price, most: Price): boolean {
  return (
    a === 0n ||
    b === 0n ||
    a * BigInt(least.d) < b * BigInt(least.n) ||
    a * BigInt(most.d) > b * BigInt(most.n)
  )
}

export function liquidityPoolWithdraw(op: xdr.LiquidityPoolWithdrawOp): Operation {
  const id = poolIdText(op.liquidityPoolId)
  return {
    type: 'liquidity_pool_withdraw',
    typeNumber: 23,
    threshold: 'medium',
    moves: false,
    untried: withdrawn(Withdraw.liquidityPoolWithdrawSuccess()),
    affects: [],
    malformed: () =>
      op.amount <= 0n || op.minAmountA < 0n || op.minAmountB < 0n
        ? withdrawn(Withdraw.liquidityPoolWithdrawMalformed())
        : undefined,
    apply: scope => applyWithdrawal(op, id, scope),
    record(_source, ending) {
      const { before, after } = poolChange(ending.changes, id)
      return {
        liquidity_pool_id: id,
        reserves_min: reserveRecords(after, op.minAmountA, op.minAmountB),
        shares: amountText(op.amount),
        reserves_received: reserveRecords(
          after,
          (before?.reserveA ?? 0n) - (after?.reserveA ?? 0n),
          (before?.reserveB ?? 0n) - (after?.reserveB ?? 0n),
        ),
      }
    },
  }
}

function applyWithdrawal(
  op: xdr.LiquidityPoolWithdrawOp,
  id: string,
  { state, source, ledger }: Scope,
): OperationOutcome {
  const line = state.trustLine(source, id)
  const pool = state.pool(id)
  if (!line || !pool) return withdrawn(Withdraw.liquidityPoolWithdrawNoTrust())
  if (line.balance < op.amount) return withdrawn(Withdraw.liquidityPoolWithdrawUnderfunded())
  if (isHeldFrozen(ledger.frozen, source, pool.assetA, pool.assetB))
    return withdrawn(Withdraw.liquidityPoolWithdrawTrustlineFrozen())
  const { a, b } = shareOf(pool, op.amount)
  for (const [asset, amount, minimum] of [
    [pool.assetA, a, op.minAmountA],
    [pool.assetB, b, op.minAmountB],
  ] as const) {
    if (amount < minimum) return withdrawn(Withdraw.liquidityPoolWithdrawUnderMinimum())
    if (room(state, source, asset) < amount) return withdrawn(Withdraw.liquidityPoolWithdrawLineFull())
    addBalance(state, source, asset, amount)
  }
  state.put({ ...line, balance: line.balance - op.amount })
  takeFromPool(state, pool, op.amount)
  return withdrawn(Withdraw.liquidityPoolWithdrawSuccess())
}

function shareOf({ reserveA, reserveB, shares: total }: LiquidityPool, shares: bigint) {
  if (shares === 0n) return { a: 0n, b: 0n }
  return { a: (shares * reserveA) / total, b: (shares * reserveB) / total }
}

function takeFromPool(state: LedgerState, pool: LiquidityPool, shares: bigint): LiquidityPool {
  const { a, b } = shareOf(pool, shares)
  const left = {
    ...pool,
    reserveA: pool.reserveA - a,
    reserveB: pool.reserveB - b,
    shares: pool.shares - shares,
  }
  state.put(left)
  return left
}

/** Counts another line for a pool's shares, which makes the pool when it is the first. */
export function joinPool(
  state: LedgerState,
  account: string,
  { id, assetA, assetB }: Pick<LiquidityPool, 'id' | 'assetA' | 'assetB'>,
): 'done' | 'no-line' | 'not-authorized' {
  for (const asset of [assetA, assetB]) {
    if (asset === 'native' || isIssuer(account, asset)) continue
    const line = state.trustLine(account, asset)
    if (!line) return 'no-line'
    if (!(line.flags & LineFlag.authorization)) return 'not-authorized'
    state.put({ ...line, pools: line.pools + 1 })
  }
  const pool = state.pool(id)
  if (pool) state.put({ ...pool, lines: pool.lines + 1 })
  else
    state.put({
      kind: 'liquidity-pool',
      id,
      assetA,
      assetB,
      reserveA: 0n,
      reserveB: 0n,
      shares: 0n,
      lines: 1,
      modified: 0,
    })
  return 'done'
}

/** Takes back what `joinPool` has counted. */
export function leavePool(state: LedgerState, account: string, id: string): void {
  const pool = state.pool(id)
  if (!pool) return
  for (const asset of [pool.assetA, pool.assetB]) {
    const line = state.trustLine(account, asset)
    if (line) state.put({ ...line, pools: line.pools - 1 })
  }
  if (pool.lines === 1) state.remove(pool)
  else state.put({ ...pool, lines: pool.lines - 1 })
}

/**
 * Removes an account from the pools that hold an asset it may no longer hold: what was its share goes into claimable
 * balances, which take over the reserve of its line.
 */
export function redeemPoolShares(
  scope: Scope,
  account: string,
  asset: AssetName,
): 'done' | 'low-reserve' | 'too-many' {
  const { state } = scope
  for (const line of state.poolLinesOf(account)) {
    const pool = state.pool(line.asset)
    if (!pool || (pool.assetA !== asset && pool.assetB !== asset)) continue
    const backer = line.sponsor ?? account
    removeEntry(state, line)
    const { a, b } = shareOf(pool, line.balance)
    for (const [each, amount] of [
      [pool.assetA, a],
      [pool.assetB, b],
    ] as const) {
      const redeemed = redeem(scope, { account, backer, pool: pool.id, asset: each, amount })
      if (redeemed !== 'done') return redeemed
    }
    takeFromPool(state, pool, line.balance)
    leavePool(state, account, pool.id)
  }
  return 'done'
}

interface Redemption {
  readonly account: string
  /** Who has paid the reserve of the line, and now pays that of the balance. */
  readonly backer: string
  readonly pool: string
  readonly asset: AssetName
  readonly amount: bigint
}

function redeem(scope: Scope, { account, backer, pool, asset, amount }: Redemption) {
  const { state } = scope
  if (amount === 0n || isIssuer(account, asset)) return 'done'
  const held = state.trustLine(account, asset)
  const balance = {
    kind: 'claimable-balance',
    id: redemptionId(scope, pool, asset),
    asset,
    amount,
    claimants: [
      { destination: account, predicate: xdr.ClaimPredicate.claimPredicateUnconditional().toXdr('base64') },
    ],
    clawbackEnabled: ((held?.flags ?? 0) & LineFlag.clawback) !== 0,
    sponsor: backer,
    modified: 0,
  } as const
  if (state.sponsorships.has(backer)) return createEntry(state, balance, backer)
  state.put(balance)
  addSponsoring(state, backer, 1)
  return 'done'
}

/** CAP-38: the hash of the transaction's source, its sequence, the operation's place, the pool and the asset. */
function redemptionId({ transaction, index }: Scope, pool: string, asset: AssetName): string {
  const preimage = xdr.HashIdPreimage.envelopeTypePoolRevokeOpId(
    new xdr.HashIdPreimageRevokeId({
      sourceAccount: publicKeyOf(transaction.source),
      seqNum: transaction.sequence,
      opNum: index,
      liquidityPoolId: new xdr.PoolId(Buffer.from(pool, 'hex')),
      asset: assetXdr(asset),
    }),
  )
  return `00000000${createHash('sha256').update(preimage.toXdr()).digest('hex')}`
}

function poolChange(changes: Ending['changes'], id: string) {
  const change = changes.find(({ key }) => key === poolKey(id))
  const pool = (entry: Change['before']) => (entry?.kind === 'liquidity-pool' ? entry : undefined)
  return { before: pool(change?.before), after: pool(change?.after) }
}

/** Horizon knows a pool's assets from its change alone: a failed operation shows amounts without them. */
function reserveRecords(pool: LiquidityPool | undefined, a: bigint, b: bigint) {
  return [
    { ...(pool && { asset: pool.assetA }), amount: amountText(a) },
    { ...(pool && { asset: pool.assetB }), amount: amountText(b) },
  ]
}
