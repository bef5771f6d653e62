import { SignerKey, xdr } from '@stellar/stellar-sdk'
import { accountIdOf } from '../ledger/addresses.ts'
import { amountText } from '../ledger/amounts.ts'
import { assetFields, assetName } from '../ledger/assets.ts'
import { AccountFlag, LineFlag } from '../ledger/entries.ts'

/** What an operation did to one account, as Horizon tells it. */
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
  trustline_flags_updated: 26,
  data_created: 40,
  data_removed: 41,
  data_updated: 42,
  sequence_bumped: 43,
  claimable_balance_created: 50,
  claimable_balance_claimant_created: 51,
  claimable_balance_claimed: 52,
  claimable_balance_clawed_back: 80,
} as const

/** Fields of the operation that its effects need: Horizon's record of it. */
export type OperationFields = Readonly<Record<string, unknown>>

/** The effects of an operation, read off what it changed on the ledger. */
export function effectsOf(operation: OperationFields, changes: readonly xdr.LedgerEntryChange[]): Effect[] {
  return [...pairs(changes).flatMap(pair => entryEffects(operation, pair)), ...issuerEffects(operation)]
}

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

function entryEffects(operation: OperationFields, { before, after }: Pair): Effect[] {
  const [was, is] = [before?.data, after?.data]
  switch ((is ?? was)?.type) {
    case 'account':
      return accountEffects(
        was?.type === 'account' ? was.account : undefined,
        is?.type === 'account' ? is.account : undefined,
      )
    case 'trustline':
      return lineEffects(
        was?.type === 'trustline' ? was.trustLine : undefined,
        is?.type === 'trustline' ? is.trustLine : undefined,
      )
    case 'data':
      return dataEffects(
        was?.type === 'data' ? was.data : undefined,
        is?.type === 'data' ? is.data : undefined,
      )
    case 'claimableBalance':
      if (is?.type === 'claimableBalance') return balanceCreated(operation, is.claimableBalance)
      return was?.type === 'claimableBalance' ? [balanceRemoved(operation, was.claimableBalance)] : []
    default:
      return []
  }
}

function accountEffects(was: xdr.AccountEntry | undefined, is: xdr.AccountEntry | undefined): Effect[] {
  if (!was)
    return is
      ? [
          { account: idOf(is), type: 'account_created', starting_balance: amountText(is.balance) },
          { account: idOf(is), type: 'signer_created', ...signerFields(idOf(is), masterWeight(is)) },
        ]
      : []
  const account = idOf(was)
  if (!is) return [...moved(account, 'native', -was.balance), { account, type: 'account_removed' }]
  return [
    ...moved(account, 'native', is.balance - was.balance),
    ...settingEffects(account, was, is),
    ...signerEffects(account, was, is),
  ]
}

function settingEffects(account: string, was: xdr.AccountEntry, is: xdr.AccountEntry): Effect[] {
  const effects: Effect[] = []
  const [thresholds, earlier] = [is.thresholds.value, was.thresholds.value]
  if (is.homeDomain.toString() !== was.homeDomain.toString())
    effects.push({ account, type: 'account_home_domain_updated', home_domain: is.homeDomain.toString() })
  if (Buffer.compare(thresholds.subarray(1), earlier.subarray(1)) !== 0)
    effects.push({
      account,
      type: 'account_thresholds_updated',
      low_threshold: thresholds[1],
      med_threshold: thresholds[2],
      high_threshold: thresholds[3],
    })
  if (is.flags !== was.flags)
    effects.push({
      account,
      type: 'account_flags_updated',
      ...changedFlags(was.flags, is.flags, [
        [AccountFlag.required, 'auth_required_flag'],
        [AccountFlag.revocable, 'auth_revocable_flag'],
        [AccountFlag.immutable, 'auth_immutable_flag'],
        [AccountFlag.clawback, 'auth_clawback_enabled_flag'],
      ]),
    })
  if (is.inflationDest && (!was.inflationDest || !is.inflationDest.equals(was.inflationDest)))
    effects.push({ account, type: 'account_inflation_destination_updated' })
  if (is.seqNum !== was.seqNum)
    effects.push({ account, type: 'sequence_bumped', new_seq: is.seqNum.toString() })
  return effects
}

function signerEffects(account: string, was: xdr.AccountEntry, is: xdr.AccountEntry): Effect[] {
  const weights = (entry: xdr.AccountEntry) =>
    new Map([
      [account, masterWeight(entry)],
      ...entry.signers.map(({ key, weight }) => [SignerKey.encodeSignerKey(key), weight] as const),
    ])
  const [before, after] = [weights(was), weights(is)]
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key): Effect[] => {
    const [from, to] = [before.get(key) ?? 0, after.get(key) ?? 0]
    if (from === to) return []
    const type = from === 0 ? 'signer_created' : to === 0 ? 'signer_removed' : 'signer_updated'
    return [{ account, type, ...signerFields(key, to) }]
  })
}

function lineEffects(was: xdr.TrustLineEntry | undefined, is: xdr.TrustLineEntry | undefined): Effect[] {
  const line = is ?? was
  if (!line) return []
  const account = accountIdOf(line.accountId)
  const asset = assetName(line.asset) ?? 'native'
  const fields = { ...assetFields(asset), limit: amountText(is?.limit ?? 0n) }
  if (!was) return [{ account, type: 'trustline_created', ...fields }]
  if (!is) return [{ account, type: 'trustline_removed', ...fields }]
  const effects = moved(account, asset, is.balance - was.balance)
  if (is.limit !== was.limit) effects.push({ account, type: 'trustline_updated', ...fields })
  if (is.flags !== was.flags)
    effects.push({
      account: String(assetFields(asset)['asset_issuer']),
      type: 'trustline_flags_updated',
      trustor: account,
      ...assetFields(asset),
      ...changedFlags(was.flags, is.flags, [
        [LineFlag.authorized, 'authorized_flag'],
        [LineFlag.maintain, 'authorized_to_maintain_liabilites_flag'],
        [LineFlag.clawback, 'clawback_enabled_flag'],
      ]),
    })
  return effects
}

function dataEffects(was: xdr.DataEntry | undefined, is: xdr.DataEntry | undefined): Effect[] {
  const entry = is ?? was
  if (!entry) return []
  const account = accountIdOf(entry.accountId)
  const name = entry.dataName.toString()
  if (!is) return [{ account, type: 'data_removed', name }]
  const value = Buffer.from(is.dataValue.value).toString('base64')
  return [{ account, type: was ? 'data_updated' : 'data_created', name, value }]
}

function balanceFields(balance: xdr.ClaimableBalanceEntry) {
  return {
    balance_id: balance.balanceId.toXdr('hex'),
    asset: assetName(balance.asset) ?? 'native',
    amount: amountText(balance.amount),
  }
}

function balanceCreated(operation: OperationFields, balance: xdr.ClaimableBalanceEntry): Effect[] {
  const fields = balanceFields(balance)
  return [
    { account: String(operation['source_account']), type: 'claimable_balance_created', ...fields },
    ...balance.claimants.map(({ v0 }): Effect => ({
      account: accountIdOf(v0.destination),
      type: 'claimable_balance_claimant_created',
      ...fields,
    })),
  ]
}

function balanceRemoved(operation: OperationFields, balance: xdr.ClaimableBalanceEntry): Effect {
  const clawedBack = operation['type'] === 'clawback_claimable_balance'
  return {
    account: String(operation['source_account']),
    type: clawedBack ? 'claimable_balance_clawed_back' : 'claimable_balance_claimed',
    ...balanceFields(balance),
  }
}

/** The issuer has no line of its own asset, so that no entry shows its side of a payment. */
function issuerEffects(operation: OperationFields): Effect[] {
  const { type, from, to, amount, asset_type, asset_code, asset_issuer } = operation
  if (type !== 'payment' || asset_issuer === undefined) return []
  const fields = { amount, asset_type, asset_code, asset_issuer }
  const effects: Effect[] = []
  if (from === asset_issuer) effects.push({ account: String(from), type: 'account_debited', ...fields })
  if (to === asset_issuer) effects.push({ account: String(to), type: 'account_credited', ...fields })
  return effects
}

function moved(account: string, asset: string, change: bigint): Effect[] {
  if (change === 0n) return []
  return [
    {
      account,
      type: change > 0n ? 'account_credited' : 'account_debited',
      ...assetFields(asset),
      amount: amountText(change > 0n ? change : -change),
    },
  ]
}

function changedFlags(
  was: number,
  is: number,
  names: readonly (readonly [flag: number, name: string])[],
): Record<string, boolean> {
  return Object.fromEntries(
    names.filter(([flag]) => (was ^ is) & flag).map(([flag, name]) => [name, (is & flag) !== 0]),
  )
}

const idOf = (entry: xdr.AccountEntry) => accountIdOf(entry.accountId)
const masterWeight = (entry: xdr.AccountEntry) => entry.thresholds.value[0] ?? 0
const signerFields = (key: string, weight: number) => ({ weight, public_key: key, key })
