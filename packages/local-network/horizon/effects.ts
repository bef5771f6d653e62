import { Account, MuxedAccount, SignerKey, type xdr } from '@stellar/stellar-sdk'
import { accountIdOf } from '../ledger/addresses.ts'
import { amountText } from '../ledger/amounts.ts'
import { assetFields } from '../ledger/assets.ts'
import { balanceClaimed, balanceClawedBack, balanceCreated } from './claimable-effects.ts'
import {
  accountIn,
  type Effect,
  lineAsset,
  moneyIn,
  type OperationFields,
  type Pair,
  pairs,
  type Who,
} from './effect.ts'
import {
  depositEffects,
  poolLifeEffects,
  redemptionEffects,
  tradeEffects,
  withdrawalEffects,
} from './market-effects.ts'
import { sponsorshipEffects } from './sponsorship-effects.ts'

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
      return [...callEffects(operation, source), ...openedEffects(all)]
    default:
      return []
  }
}

/** What a contract's call moved; what a contract account got is shown at the account that called. */
function callEffects(operation: OperationFields, source: Who): Effect[] {
  const changes = operation['asset_balance_changes']
  if (!Array.isArray(changes)) return []
  return changes.flatMap(({ type: _, from, to, destination_muxed_id: muxedId, ...money }): Effect[] => {
    const effect = (holder: unknown, what: 'credited' | 'debited'): Effect[] => {
      if (typeof holder !== 'string') return []
      return holder.startsWith('C')
        ? [{ ...source, type: `contract_${what}`, ...money, contract: holder }]
        : [
            {
              account: holder,
              ...(what === 'credited' && muxedId !== undefined && muxedOf(holder, muxedId)),
              type: `account_${what}`,
              ...money,
            },
          ]
    }
    return [...effect(from, 'debited'), ...effect(to, 'credited')]
  })
}

const muxedOf = (account: string, id: unknown) => ({
  account_muxed: new MuxedAccount(new Account(account, '0'), String(id)).accountId(),
  account_muxed_id: String(id),
})

/** Lines and accounts that a call opened (CAP-73). */
function openedEffects(all: readonly Pair[]): Effect[] {
  const opened = all.flatMap(({ before, after }) => (before || !after ? [] : after.data))
  const lines = opened.flatMap((data): Effect[] =>
    data.type === 'trustline'
      ? [
          {
            ...{ account: accountIdOf(data.trustLine.accountId), type: 'trustline_created' },
            ...{ ...assetFields(lineAsset(data.trustLine.asset)), limit: amountText(data.trustLine.limit) },
          },
        ]
      : [],
  )
  const accounts = opened.flatMap((data): Effect[] => {
    if (data.type !== 'account') return []
    const account = accountIdOf(data.account.accountId)
    return [
      { account, type: 'account_created', starting_balance: amountText(data.account.balance) },
      { account, type: 'signer_created', weight: 1, public_key: account, key: '' },
    ]
  })
  return [...lines, ...accounts]
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
