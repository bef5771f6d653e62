import { SignerKey, type xdr } from '@stellar/stellar-sdk'
import { accountIdOf } from '../ledger/addresses.ts'
import { amountText } from '../ledger/amounts.ts'
import { assetFields, assetName } from '../ledger/assets.ts'
import { crossingsOf } from '../ledger/results.ts'

/** What an operation did to one account, as Horizon shows it. */
export interface Effect {
  readonly account: string
  readonly type: keyof typeof effectNumbers
  readonly [field: string]: unknown
}

export const effectNumbers = {
  account_created: 0,
  account_removed: 1,
  account_credited: 2,
  account_debited: 3,
  account_thresholds_updated: 4,
  account_home_domain_updated: 5,
  account_flags_updated: 6,
  account_inflation_destination_updated: 7,
  signer_created: 10,
  signer_removed: 11,
  signer_updated: 12,
  trustline_created: 20,
  trustline_removed: 21,
  trustline_updated: 22,
  trustline_authorized: 23,
  trustline_deauthorized: 24,
  trustline_authorized_to_maintain_liabilities: 25,
  trustline_flags_updated: 26,
  trade: 33,
  data_created: 40,
  data_removed: 41,
  data_updated: 42,
  sequence_bumped: 43,
  claimable_balance_created: 50,
  claimable_balance_claimant_created: 51,
  claimable_balance_claimed: 52,
  account_sponsorship_created: 60,
  account_sponsorship_updated: 61,
  account_sponsorship_removed: 62,
  trustline_sponsorship_created: 63,
  trustline_sponsorship_updated: 64,
  trustline_sponsorship_removed: 65,
  data_sponsorship_created: 66,
  data_sponsorship_updated: 67,
  data_sponsorship_removed: 68,
  claimable_balance_sponsorship_created: 69,
  claimable_balance_sponsorship_updated: 70,
  claimable_balance_sponsorship_removed: 71,
  signer_sponsorship_created: 72,
  signer_sponsorship_updated: 73,
  signer_sponsorship_removed: 74,
  claimable_balance_clawed_back: 80,
  liquidity_pool_deposited: 90,
  liquidity_pool_withdrew: 91,
  liquidity_pool_trade: 92,
  liquidity_pool_created: 93,
  liquidity_pool_removed: 94,
  liquidity_pool_revoked: 95,
  contract_credited: 96,
  contract_debited: 97,
} as const

/** An operation as Horizon shows it, whose fields its effects repeat. */
type OperationFields = Readonly<Record<string, unknown>>

/**
 * The effects of an operation in Horizon's order. Most follow from the operation itself, changed or not; what only
 * the ledger knows (a merged balance, a removed line, earlier signers) is read off the entries it changed.
 */
export function effectsOf(
  operation: OperationFields,
  changes: readonly xdr.LedgerEntryChange[],
  result: xdr.OperationResult | undefined,
): Effect[] {
  const all = pairs(changes)
  return [
    ...ownEffects(operation, all),
    ...(result ? tradeEffects(operation, all, result) : []),
    ...sponsorshipEffects(operation, all),
    ...poolLifeEffects(operation, all),
  ]
}

/** An entry before and after the operation. */
interface Pair {
  readonly before: xdr.LedgerEntry | undefined
  readonly after: xdr.LedgerEntry | undefined
}

function pairs(changes: readonly xdr.LedgerEntryChange[]): Pair[] {
  const found: Pair[] = []
  let before: xdr.LedgerEntry | undefined
  for (const change of changes) {
    if (change.type === 'ledgerEntryState') before = change.state
    else {
      const after =
        change.type === 'ledgerEntryCreated'
          ? change.created
          : change.type === 'ledgerEntryUpdated'
            ? change.updated
            : undefined
      found.push({ before, after })
      before = undefined
    }
  }
  return found
}

function ownEffects(operation: OperationFields, all: readonly Pair[]): Effect[] {
  const source = accountIn(operation, 'source_account')
  switch (operation['type']) {
    case 'create_account':
      return createAccountEffects(operation, source)
    case 'payment':
      return [
        { ...accountIn(operation, 'to'), type: 'account_credited', ...moneyIn(operation) },
        { ...source, type: 'account_debited', ...moneyIn(operation) },
      ]
    case 'path_payment_strict_send':
    case 'path_payment_strict_receive':
      return [
        { ...accountIn(operation, 'to'), type: 'account_credited', ...moneyIn(operation) },
        { ...source, type: 'account_debited', ...moneyIn(operation, 'source_') },
      ]
    case 'liquidity_pool_deposit':
      return depositEffects(operation, source, all)
    case 'liquidity_pool_withdraw':
      return withdrawalEffects(operation, source, all)
    case 'clawback':
      return [
        { ...source, type: 'account_credited', ...moneyIn(operation) },
        { ...accountIn(operation, 'from'), type: 'account_debited', ...moneyIn(operation) },
      ]
    case 'account_merge':
      return mergeEffects(operation, source, all)
    case 'set_options':
      return [...optionEffects(operation, source), ...signerEffects(source, all)]
    case 'change_trust':
      return all.flatMap(pair => lineEffects(operation, source, pair))
    case 'allow_trust':
      return [...allowTrustEffects(operation, source), ...redemptionEffects(source, all)]
    case 'set_trust_line_flags':
      return [
        ...lineFlagEffects(operation, source, flagsIn(operation, lineFlagNames)),
        ...redemptionEffects(source, all),
      ]
    case 'manage_data':
      return all.flatMap(pair => dataEffects(source, pair))
    case 'bump_sequence':
      return all.flatMap(pair => sequenceEffects(source, pair))
    case 'create_claimable_balance':
      return all.flatMap(pair => balanceCreated(operation, source, pair))
    case 'claim_claimable_balance':
      return all.flatMap(pair => balanceClaimed(source, pair))
    case 'clawback_claimable_balance':
      return all.flatMap(pair => balanceClawedBack(source, pair))
    case 'invoke_host_function':
      return callEffects(operation, source)
    default:
      return []
  }
}

/** What a contract's call moved; what a contract account got is shown at the account that called. */
function callEffects(operation: OperationFields, source: Who): Effect[] {
  const changes = operation['asset_balance_changes']
  if (!Array.isArray(changes)) return []
  return changes.flatMap(({ type: _, from, to, ...money }): Effect[] => {
    const effect = (holder: unknown, what: 'credited' | 'debited'): Effect[] => {
      if (typeof holder !== 'string') return []
      return holder.startsWith('C')
        ? [{ ...source, type: `contract_${what}`, ...money, contract: holder }]
        : [{ account: holder, type: `account_${what}`, ...money }]
    }
    return [...effect(from, 'debited'), ...effect(to, 'credited')]
  })
}

interface Who {
  readonly account: string
  readonly account_muxed?: unknown
  readonly account_muxed_id?: unknown
}

/** The account in a field of the operation, with the muxed address it was named by. */
function accountIn(operation: OperationFields, field: string): Who {
  const muxed = operation[`${field}_muxed`]
  return {
    account: String(operation[field]),
    ...(muxed !== undefined && { account_muxed: muxed, account_muxed_id: operation[`${field}_muxed_id`] }),
  }
}

function moneyIn(operation: OperationFields, prefix = '') {
  const field = (name: string) => operation[`${prefix}${name}`]
  const [asset_type, amount] = [field('asset_type'), field('amount')]
  return asset_type === 'native'
    ? { asset_type, amount }
    : { asset_type, asset_code: field('asset_code'), asset_issuer: field('asset_issuer'), amount }
}

function createAccountEffects({ account, starting_balance }: OperationFields, source: Who): Effect[] {
  const created = String(account)
  return [
    { account: created, type: 'account_created', starting_balance },
    { ...source, type: 'account_debited', asset_type: 'native', amount: starting_balance },
    { account: created, type: 'signer_created', weight: 1, public_key: created, key: '' },
  ]
}

function mergeEffects(operation: OperationFields, source: Who, all: readonly Pair[]): Effect[] {
  const merged = all.map(({ before, after }) => (after ? undefined : before?.data)).find(Boolean)
  if (merged?.type !== 'account') return []
  const money = { asset_type: 'native', amount: amountText(merged.account.balance) }
  return [
    { ...source, type: 'account_debited', ...money },
    { ...accountIn(operation, 'into'), type: 'account_credited', ...money },
    { ...source, type: 'account_removed' },
  ]
}

function optionEffects(operation: OperationFields, source: Who): Effect[] {
  const { home_domain, inflation_dest, low_threshold, med_threshold, high_threshold } = operation
  const effects: Effect[] = []
  if (home_domain !== undefined) effects.push({ ...source, type: 'account_home_domain_updated', home_domain })
  if ((low_threshold ?? med_threshold ?? high_threshold) !== undefined)
    effects.push({
      ...source,
      type: 'account_thresholds_updated',
      low_threshold: low_threshold ?? 0,
      med_threshold: med_threshold ?? 0,
      high_threshold: high_threshold ?? 0,
    })
  if (operation['set_flags'] ?? operation['clear_flags'])
    effects.push({ ...source, type: 'account_flags_updated', ...flagsIn(operation, accountFlagNames) })
  if (inflation_dest !== undefined) effects.push({ ...source, type: 'account_inflation_destination_updated' })
  return effects
}

// Horizon writes its other flags under names that its answers do not have.
const accountFlagNames = { auth_required: 'auth_required_flag' }
const lineFlagNames = { authorized: 'authorized_flag', clawback_enabled: 'clawback_enabled_flag' }

/** The flags an operation sets and clears, whether they change or not. */
function flagsIn(
  operation: OperationFields,
  names: Readonly<Record<string, string>>,
): Record<string, boolean> {
  const chosen = (field: string, value: boolean) => {
    const flags = operation[field]
    return Array.isArray(flags)
      ? flags.flatMap(flag => (names[flag] === undefined ? [] : [[names[flag], value] as const]))
      : []
  }
  return Object.fromEntries([...chosen('set_flags_s', true), ...chosen('clear_flags_s', false)])
}

function signerEffects(source: Who, all: readonly Pair[]): Effect[] {
  return all.flatMap(({ before, after }) => {
    if (before?.data.type !== 'account' || after?.data.type !== 'account') return []
    const [was, is] = [weightsOf(before.data.account), weightsOf(after.data.account)]
    const effect = (type: Effect['type'], key: string, weight: number): Effect => ({
      ...source,
      type,
      weight,
      public_key: key,
      key: '',
    })
    const known = [...was.keys()].sort().flatMap(key => {
      const weight = is.get(key)
      if (weight === undefined) return [effect('signer_removed', key, 0)]
      return weight === was.get(key) ? [] : [effect('signer_updated', key, weight)]
    })
    const added = [...is.keys()].filter(key => !was.has(key)).sort()
    return [...known, ...added.map(key => effect('signer_created', key, is.get(key) ?? 0))]
  })
}

/** An account's signers, its own key among them while that has a weight. */
function weightsOf(entry: xdr.AccountEntry): Map<string, number> {
  const master = entry.thresholds.value[0] ?? 0
  const weights = new Map(entry.signers.map(({ key, weight }) => [SignerKey.encodeSignerKey(key), weight]))
  return master > 0 ? weights.set(accountIdOf(entry.accountId), master) : weights
}

function lineEffects(operation: OperationFields, source: Who, { before, after }: Pair): Effect[] {
  const [was, is] = [before?.data, after?.data]
  const line = is ?? was
  if (line?.type !== 'trustline') return []
  const limit = is?.type === 'trustline' ? is.trustLine.limit : 0n
  const type = !was ? 'trustline_created' : is ? 'trustline_updated' : 'trustline_removed'
  const asset = lineAsset(line.trustLine.asset)
  // A line for shares changes the lines of the pool's assets too.
  if (operation['asset_type'] === 'liquidity_pool_shares' && asset !== operation['liquidity_pool_id'])
    return []
  return [{ ...source, type, ...assetFields(asset), limit: amountText(limit) }]
}

function allowTrustEffects(operation: OperationFields, source: Who): Effect[] {
  const { trustor, asset_type, asset_code, authorize, authorize_to_maintain_liabilities } = operation
  const fields = { trustor, asset_type, asset_code }
  if (authorize === true)
    return [
      { ...source, type: 'trustline_authorized', ...fields },
      ...lineFlagEffects(operation, source, { authorized_flag: true }),
    ]
  if (authorize_to_maintain_liabilities === true)
    return [
      { ...source, type: 'trustline_authorized_to_maintain_liabilities', ...fields },
      ...lineFlagEffects(operation, source, {}),
    ]
  return [
    { ...source, type: 'trustline_deauthorized', ...fields },
    ...lineFlagEffects(operation, source, { authorized_flag: false }),
  ]
}

function lineFlagEffects(operation: OperationFields, source: Who, flags: Record<string, boolean>): Effect[] {
  const { trustor, asset_type, asset_code, asset_issuer, type, set_flags, clear_flags } = operation
  if (type === 'set_trust_line_flags' && !(set_flags ?? clear_flags)) return []
  const fields = { trustor, asset_type, asset_code, asset_issuer }
  return [{ ...source, type: 'trustline_flags_updated', ...fields, ...flags }]
}

function dataEffects(source: Who, { before, after }: Pair): Effect[] {
  const [was, is] = [before?.data, after?.data]
  const entry = is ?? was
  if (entry?.type !== 'data') return []
  const name = entry.data.dataName.toString()
  if (is?.type !== 'data') return [{ ...source, type: 'data_removed', name }]
  const value = Buffer.from(is.data.dataValue.value).toString('base64')
  return [{ ...source, type: was ? 'data_updated' : 'data_created', name, value }]
}

function sequenceEffects(source: Who, { before, after }: Pair): Effect[] {
  if (before?.data.type !== 'account' || after?.data.type !== 'account') return []
  const { seqNum } = after.data.account
  if (seqNum === before.data.account.seqNum) return []
  return [{ ...source, type: 'sequence_bumped', new_seq: seqNum.toString() }]
}

function balanceFields(balance: xdr.ClaimableBalanceEntry) {
  return {
    asset: assetName(balance.asset) ?? 'native',
    balance_id: balance.balanceId.toXdr('hex'),
    amount: amountText(balance.amount),
  }
}

/** The money inside a claimable balance, as fields of a credit or a debit. */
function moneyInside(balance: xdr.ClaimableBalanceEntry) {
  return { ...assetFields(assetName(balance.asset) ?? 'native'), amount: amountText(balance.amount) }
}

function balanceCreated(operation: OperationFields, source: Who, { after }: Pair): Effect[] {
  if (after?.data.type !== 'claimableBalance') return []
  const { claimableBalance } = after.data
  // As the operation has them, with times that are still relative.
  const claimants = Array.isArray(operation['claimants']) ? operation['claimants'] : []
  return [
    ...balanceMade(source, claimableBalance, claimants),
    { ...source, type: 'account_debited', ...moneyInside(claimableBalance) },
  ]
}

interface Claimant {
  readonly destination: unknown
  readonly predicate: unknown
}

function balanceMade(
  source: Who,
  balance: xdr.ClaimableBalanceEntry,
  claimants: readonly Claimant[],
): Effect[] {
  const fields = balanceFields(balance)
  return [
    { ...source, type: 'claimable_balance_created', ...fields },
    ...claimants.map(({ destination, predicate }): Effect => ({
      account: String(destination),
      type: 'claimable_balance_claimant_created',
      ...fields,
      predicate,
    })),
  ]
}

function balanceClaimed(source: Who, { before, after }: Pair): Effect[] {
  if (after || before?.data.type !== 'claimableBalance') return []
  const { claimableBalance } = before.data
  return [
    { ...source, type: 'claimable_balance_claimed', ...balanceFields(claimableBalance) },
    { ...source, type: 'account_credited', ...moneyInside(claimableBalance) },
  ]
}

function balanceClawedBack(source: Who, { before, after }: Pair): Effect[] {
  if (after || before?.data.type !== 'claimableBalance') return []
  const { claimableBalance } = before.data
  const { balance_id } = balanceFields(claimableBalance)
  return [
    { ...source, type: 'claimable_balance_clawed_back', balance_id },
    { ...source, type: 'account_credited', ...moneyInside(claimableBalance) },
  ]
}

/** What a trade did to the taker and to the owner of each offer that it took. */
function tradeEffects(
  operation: OperationFields,
  all: readonly Pair[],
  result: xdr.OperationResult,
): Effect[] {
  const buyer = accountIn(operation, 'source_account')
  return crossingsOf(result).claims.flatMap((claim): Effect[] => {
    const { assetSold, amountSold, assetBought, amountBought } = claim.value
    if (amountSold === 0n && amountBought === 0n) return []
    const [sold, bought] = [assetName(assetSold) ?? '', assetName(assetBought) ?? '']
    if (claim.type === 'claimAtomTypeLiquidityPool')
      return [
        {
          ...buyer,
          type: 'liquidity_pool_trade',
          liquidity_pool: poolRecordIn(all, hexOf(claim.liquidityPool.liquidityPoolId)),
          sold: { asset: sold, amount: amountText(amountSold) },
          bought: { asset: bought, amount: amountText(amountBought) },
        },
      ]
    if (claim.type !== 'claimAtomTypeOrderBook') return []
    const { offerId, sellerId } = claim.orderBook
    const seller = accountIdOf(sellerId)
    const offer_id = offerId.toString()
    const side = (name: string, asset: string, amount: bigint) => ({
      [`${name}_amount`]: amountText(amount),
      ...assetFields(asset, `${name}_asset`),
    })
    return [
      {
        ...buyer,
        type: 'trade',
        seller,
        offer_id,
        ...side('sold', bought, amountBought),
        ...side('bought', sold, amountSold),
      },
      {
        account: seller,
        type: 'trade',
        seller: buyer.account,
        ...('account_muxed' in buyer && {
          seller_muxed: buyer.account_muxed,
          seller_muxed_id: operation['source_account_muxed_id'],
        }),
        offer_id,
        ...side('sold', sold, amountSold),
        ...side('bought', bought, amountBought),
      },
    ]
  })
}

const hexOf = (id: xdr.PoolId) => Buffer.from(id.value).toString('hex')

function poolsIn(all: readonly Pair[]) {
  return all.flatMap(({ before, after }) => {
    const [was, is] = [poolIn(before), poolIn(after)]
    const pool = is ?? was
    return pool ? [{ id: hexOf(pool.liquidityPoolId), was, is }] : []
  })
}

function poolIn(entry: xdr.LedgerEntry | undefined): xdr.LiquidityPoolEntry | undefined {
  return entry?.data.type === 'liquidityPool' ? entry.data.liquidityPool : undefined
}

function poolRecordIn(all: readonly Pair[], id: string) {
  const pool = poolsIn(all).find(each => each.id === id)
  const entry = pool?.is ?? pool?.was
  return entry && poolFields(entry)
}

/** A pool inside an effect. */
function poolFields({ liquidityPoolId, body }: xdr.LiquidityPoolEntry) {
  const { params, reserveA, reserveB, totalPoolShares, poolSharesTrustLineCount } = body.constantProduct
  const reserve = (asset: xdr.Asset, amount: bigint) => ({
    asset: assetName(asset) ?? '',
    amount: amountText(amount),
  })
  return {
    id: hexOf(liquidityPoolId),
    fee_bp: params.fee,
    type: 'constant_product',
    total_trustlines: poolSharesTrustLineCount.toString(),
    total_shares: amountText(totalPoolShares),
    reserves: [reserve(params.assetA, reserveA), reserve(params.assetB, reserveB)],
  }
}

function depositEffects(operation: OperationFields, source: Who, all: readonly Pair[]): Effect[] {
  const { liquidity_pool_id, reserves_deposited, shares_received } = operation
  const liquidity_pool = poolRecordIn(all, String(liquidity_pool_id))
  return [
    { ...source, type: 'liquidity_pool_deposited', liquidity_pool, reserves_deposited, shares_received },
  ]
}

function withdrawalEffects(operation: OperationFields, source: Who, all: readonly Pair[]): Effect[] {
  const { liquidity_pool_id, reserves_received, shares } = operation
  const liquidity_pool = poolRecordIn(all, String(liquidity_pool_id))
  return [
    {
      ...source,
      type: 'liquidity_pool_withdrew',
      liquidity_pool,
      reserves_received,
      shares_redeemed: shares,
    },
  ]
}

/** An account that was made to leave pools: what was its share is in claimable balances. */
function redemptionEffects(source: Who, all: readonly Pair[]): Effect[] {
  const balances = all.flatMap(({ before, after }) =>
    !before && after?.data.type === 'claimableBalance' ? [after.data.claimableBalance] : [],
  )
  const unconditional = (balance: xdr.ClaimableBalanceEntry) =>
    balance.claimants.map(({ v0 }) => ({
      destination: accountIdOf(v0.destination),
      predicate: { unconditional: true },
    }))
  const revoked = poolsIn(all).flatMap(({ was, is }): Effect[] => {
    if (!was) return []
    const [before, left] = [was.body.constantProduct, is?.body.constantProduct]
    const shares = before.totalPoolShares - (left?.totalPoolShares ?? 0n)
    if (shares === 0n) return []
    const reserve = (asset: xdr.Asset, amount: bigint) => {
      const name = assetName(asset)
      const balance = balances.find(each => assetName(each.asset) === name && each.amount === amount)
      return {
        asset: name,
        amount: amountText(amount),
        ...(balance && { claimable_balance_id: balance.balanceId.toXdr('hex') }),
      }
    }
    return [
      {
        ...source,
        type: 'liquidity_pool_revoked',
        liquidity_pool: poolFields(is ?? was),
        reserves_revoked: [
          reserve(before.params.assetA, before.reserveA - (left?.reserveA ?? 0n)),
          reserve(before.params.assetB, before.reserveB - (left?.reserveB ?? 0n)),
        ],
        shares_revoked: amountText(shares),
      },
    ]
  })
  return [...balances.flatMap(balance => balanceMade(source, balance, unconditional(balance))), ...revoked]
}

function poolLifeEffects(operation: OperationFields, all: readonly Pair[]): Effect[] {
  const source = accountIn(operation, 'source_account')
  return poolsIn(all).flatMap(({ id, was, is }): Effect[] => {
    if (!was && is) return [{ ...source, type: 'liquidity_pool_created', liquidity_pool: poolFields(is) }]
    return was && !is ? [{ ...source, type: 'liquidity_pool_removed', liquidity_pool_id: id }] : []
  })
}

/** Entries and signers whose reserve another account has begun or ceased to pay. */
function sponsorshipEffects(operation: OperationFields, all: readonly Pair[]): Effect[] {
  const source = accountIn(operation, 'source_account')
  return all.flatMap(({ before, after }) => {
    const entry = (after ?? before)?.data
    if (!entry) return []
    const subject = sponsoredSubject(entry, source)
    const own = subject ? sponsorChange(subject.kind, sponsorOf(before), sponsorOf(after)) : undefined
    return [
      ...(subject && own ? [{ ...subject.who, type: own.type, ...subject.fields, ...own.fields }] : []),
      ...signerSponsorshipEffects(before, after),
    ]
  })
}

type Sponsored = 'account' | 'trustline' | 'data' | 'claimable_balance' | 'signer'

/** How effects name an entry that may be sponsored; undefined where they do not (offers). */
function sponsoredSubject(
  entry: xdr.LedgerEntryData,
  source: Who,
): { kind: Sponsored; who: Who; fields: Record<string, unknown> } | undefined {
  switch (entry.type) {
    case 'account':
      return { kind: 'account', who: { account: accountIdOf(entry.account.accountId) }, fields: {} }
    case 'trustline': {
      const { accountId, asset } = entry.trustLine
      const name = lineAsset(asset)
      const { asset_type } = assetFields(name)
      const fields =
        asset.type === 'assetTypePoolShare'
          ? { asset_type: 'liquidity_pool', liquidity_pool_id: name }
          : { asset_type, asset: name }
      return { kind: 'trustline', who: { account: accountIdOf(accountId) }, fields }
    }
    case 'data':
      return { kind: 'data', who: source, fields: { data_name: entry.data.dataName.toString() } }
    case 'claimableBalance': {
      const balance_id = entry.claimableBalance.balanceId.toXdr('hex')
      return { kind: 'claimable_balance', who: source, fields: { balance_id } }
    }
    default:
      return undefined
  }
}

function sponsorOf(entry: xdr.LedgerEntry | undefined): string | undefined {
  const sponsor = entry?.ext.type === 'v1' ? entry.ext.v1.sponsoringId : null
  return sponsor ? accountIdOf(sponsor) : undefined
}

function sponsorChange(
  kind: Sponsored,
  was: string | undefined,
  is: string | undefined,
): { type: Effect['type']; fields: Record<string, string> } | undefined {
  if (was === is) return undefined
  if (was === undefined) return { type: `${kind}_sponsorship_created`, fields: { sponsor: is ?? '' } }
  if (is === undefined) return { type: `${kind}_sponsorship_removed`, fields: { former_sponsor: was } }
  return { type: `${kind}_sponsorship_updated`, fields: { former_sponsor: was, new_sponsor: is } }
}

function signerSponsorshipEffects(
  before: xdr.LedgerEntry | undefined,
  after: xdr.LedgerEntry | undefined,
): Effect[] {
  const entry = (after ?? before)?.data
  if (entry?.type !== 'account') return []
  const account = accountIdOf(entry.account.accountId)
  const [was, is] = [signerSponsors(before), signerSponsors(after)]
  return [...new Set([...was.keys(), ...is.keys()])].sort().flatMap(signer => {
    const change = sponsorChange('signer', was.get(signer), is.get(signer))
    return change ? [{ account, type: change.type, signer, ...change.fields }] : []
  })
}

function signerSponsors(entry: xdr.LedgerEntry | undefined): Map<string, string> {
  const account = entry?.data.type === 'account' ? entry.data.account : undefined
  const extension = account?.ext.type === 'v1' ? account.ext.v1.ext : undefined
  const sponsors = extension?.type === 'v2' ? extension.v2.signerSponsoringIDs : []
  return new Map(
    (account?.signers ?? []).flatMap(({ key }, index) => {
      const sponsor = sponsors[index]
      return sponsor ? [[SignerKey.encodeSignerKey(key), accountIdOf(sponsor)] as const] : []
    }),
  )
}

/** The name of a line's asset, or the id of the pool whose shares it holds. */
function lineAsset(asset: xdr.TrustLineAsset): string {
  return asset.type === 'assetTypePoolShare' ? hexOf(asset.liquidityPoolId) : (assetName(asset) ?? 'native')
}
