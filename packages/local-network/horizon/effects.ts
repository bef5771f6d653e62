import { SignerKey, type xdr } from '@stellar/stellar-sdk'
import { accountIdOf } from '../ledger/addresses.ts'
import { amountText } from '../ledger/amounts.ts'
import { assetFields, assetName } from '../ledger/assets.ts'

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
  data_created: 40,
  data_removed: 41,
  data_updated: 42,
  sequence_bumped: 43,
  claimable_balance_created: 50,
  claimable_balance_claimant_created: 51,
  claimable_balance_claimed: 52,
  claimable_balance_sponsorship_created: 69,
  claimable_balance_sponsorship_removed: 71,
  claimable_balance_clawed_back: 80,
} as const

/** An operation as Horizon shows it, whose fields its effects repeat. */
type OperationFields = Readonly<Record<string, unknown>>

/**
 * The effects of an operation in Horizon's order. Most follow from the operation itself, changed or not; what only
 * the ledger knows (a merged balance, a removed line, earlier signers) is read off the entries it changed.
 */
export function effectsOf(operation: OperationFields, changes: readonly xdr.LedgerEntryChange[]): Effect[] {
  const all = pairs(changes)
  return [...ownEffects(operation, all), ...sponsorshipEffects(operation, all)]
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
      return all.flatMap(pair => lineEffects(source, pair))
    case 'allow_trust':
      return allowTrustEffects(operation, source)
    case 'set_trust_line_flags':
      return lineFlagEffects(operation, source, flagsIn(operation, lineFlagNames))
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
    default:
      return []
  }
}

type Who = Readonly<Record<'account', string>>

/** The account in a field of the operation, with the muxed address it was named by. */
function accountIn(operation: OperationFields, field: string): Who {
  const muxed = operation[`${field}_muxed`]
  return {
    account: String(operation[field]),
    ...(muxed !== undefined && { account_muxed: muxed, account_muxed_id: operation[`${field}_muxed_id`] }),
  }
}

function moneyIn({ asset_type, asset_code, asset_issuer, amount }: OperationFields) {
  return asset_type === 'native' ? { asset_type, amount } : { asset_type, asset_code, asset_issuer, amount }
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

function lineEffects(source: Who, { before, after }: Pair): Effect[] {
  const [was, is] = [before?.data, after?.data]
  const line = is ?? was
  if (line?.type !== 'trustline') return []
  const limit = is?.type === 'trustline' ? is.trustLine.limit : 0n
  const type = !was ? 'trustline_created' : is ? 'trustline_updated' : 'trustline_removed'
  const asset = assetName(line.trustLine.asset) ?? 'native'
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
  const fields = balanceFields(claimableBalance)
  const claimants = Array.isArray(operation['claimants']) ? operation['claimants'] : []
  return [
    { ...source, type: 'claimable_balance_created', ...fields },
    ...claimants.map(({ destination, predicate }): Effect => ({
      account: String(destination),
      type: 'claimable_balance_claimant_created',
      ...fields,
      predicate,
    })),
    { ...source, type: 'account_debited', ...moneyInside(claimableBalance) },
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

/** Every claimable balance has a sponsor, the account that made it. */
function sponsorshipEffects(operation: OperationFields, all: readonly Pair[]): Effect[] {
  const source = accountIn(operation, 'source_account')
  return all.flatMap(({ before, after }): Effect[] => {
    const entry = after ?? before
    if (entry?.data.type !== 'claimableBalance' || entry.ext.type !== 'v1') return []
    const { sponsoringId } = entry.ext.v1
    const sponsor = sponsoringId ? accountIdOf(sponsoringId) : ''
    const balance_id = entry.data.claimableBalance.balanceId.toXdr('hex')
    if (!before) return [{ ...source, type: 'claimable_balance_sponsorship_created', balance_id, sponsor }]
    if (after) return []
    return [{ ...source, type: 'claimable_balance_sponsorship_removed', balance_id, former_sponsor: sponsor }]
  })
}
