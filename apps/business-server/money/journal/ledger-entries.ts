import { parseAmount, type Amount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { LedgerPayment, Tables } from '../../tables.ts'
import type { AssetKey } from '@windlass/contracts/internal/served-assets.ts'
import { type Account, balanceOf, type Line, recordEntry, unitOf } from './journal.ts'
import { opposite } from './entries.ts'

interface LedgerReceipt {
  /** Unique, also after resets of the network. */
  id: string
  asset: AssetKey
  units: Amount
  transferId: string | null
  /** Whose units these are then: the issuer's, the customer's, not assigned yet, or too little to return; or where they were. */
  to: 'issued' | 'customers' | 'suspense' | 'unclaimed' | TopUp
  /** Fee that is kept from its refund. */
  fee?: Amount
}

/** Where units were by which the operator tops the treasury up. */
export type TopUp = 'cold' | 'capital'

const kinds = { issued: 'issue', cold: 'top-up', capital: 'top-up' } as const

export async function recordLedgerReceipt(tx: Db<Tables>, receipt: LedgerReceipt): Promise<void> {
  const { id, asset, units, transferId, to, fee = 0n } = receipt
  const lines: Line[] = [
    ['treasury', unitOf(asset), units],
    [to, unitOf(asset), fee - units],
    ['fees', unitOf(asset), -fee],
  ]
  const kind = to in kinds ? kinds[to as keyof typeof kinds] : 'ledger-receipt'
  await recordEntry(tx, { cause: `receipt:${id}`, kind, transferId, lines })
}

/** Whose units a payment reduces, or where it brings them. */
const paidTo = {
  deposit: 'customers',
  redelivery: 'customers',
  reclaim: 'customers',
  refund: 'suspense',
  sweep: 'cold',
} as const satisfies Partial<Record<LedgerPayment['purpose'], Account>>

/** @param own the distribution account: a payment to itself changes nothing */
export async function recordLedgerPayment(
  tx: Db<Tables>,
  payment: LedgerPayment,
  own: string,
): Promise<void> {
  const { purpose, destination, asset, cause, transfer_id: transferId } = payment
  if (asset === 'native') return
  if (purpose === 'open-channels' || purpose === 'close-channels' || purpose === 'deploy-contract') return
  if (destination === own && purpose !== 'reclaim') return
  const units = parseAmount(payment.amount)
  const paid: Line[] = [
    [paidTo[purpose], unitOf(asset), units],
    ['treasury', unitOf(asset), -units],
  ]
  const lines = purpose === 'reclaim' ? opposite(paid) : paid
  await recordEntry(tx, { cause: `payment:${cause}`, kind: `ledger-${purpose}`, transferId, lines })
}

/** What the network charged the distribution account, in stroops, where XLM is in the journal. */
export async function recordNetworkFees(tx: Db<Tables>, id: string, fees: bigint): Promise<void> {
  const lines: Line[] = [
    ['network-fees', unitOf(null), fees],
    ['treasury', unitOf(null), -fees],
  ]
  await recordEntry(tx, { cause: `network-fees:${id}`, kind: 'network-fees', lines })
}

/** An operator resolved a gap in the history: what the account holds beyond the journal is nobody's yet. */
export async function recordGap(
  tx: Db<Tables>,
  incidentId: string,
  differences: readonly { asset: AssetKey; difference: string }[],
): Promise<void> {
  const lines = differences.flatMap(({ asset, difference }): Line[] => {
    const units = parseAmount(difference)
    return [
      ['treasury', unitOf(asset), units],
      ['suspense', unitOf(asset), -units],
    ]
  })
  await recordEntry(tx, { cause: `gap:${incidentId}`, kind: 'history-gap', lines })
}

interface Units {
  asset: AssetKey
  amount: string
}

/** The ledger has a payment that is not recorded: what it was for is not known yet, or (negative) is known now. */
export async function recordUnrecorded(tx: Db<Tables>, cause: string, paid: Units): Promise<void> {
  const units = parseAmount(paid.amount)
  const lines: Line[] = [
    ['suspense', unitOf(paid.asset), units],
    ['treasury', unitOf(paid.asset), -units],
  ]
  await recordEntry(tx, { cause, kind: 'unrecorded-payment', lines })
}

/** A sweep that an older state of the database lacks: its units are in the cold account. */
export async function recordSweep(tx: Db<Tables>, cause: string, paid: Units): Promise<void> {
  const units = parseAmount(paid.amount)
  const lines: Line[] = [
    ['cold', unitOf(paid.asset), units],
    ['treasury', unitOf(paid.asset), -units],
  ]
  await recordEntry(tx, { cause, kind: 'ledger-sweep', lines })
}

/** What was in suspense was exchanged in a transaction that an older state of the database lacks. */
export async function recordExchange(
  tx: Db<Tables>,
  cause: string,
  unit: string,
  amount: string,
): Promise<void> {
  const money = parseAmount(amount)
  const lines: Line[] = [
    ['suspense', unit, money],
    ['exchange', unit, -money],
  ]
  await recordEntry(tx, { cause, kind: 'settled-before', lines })
}

/** The network was reset: what was on the ledger is gone, and what is issued again is recorded when it is seen. */
export async function recordReset(
  tx: Db<Tables>,
  ledgerHash: string,
  assets: readonly AssetKey[],
): Promise<void> {
  const gone = ['treasury', 'issued', 'capital', 'cold'] as const
  const lines: Line[] = []
  for (const unit of assets.map(unitOf)) {
    const balances = await Promise.all(gone.map(account => balanceOf(tx, account, unit)))
    lines.push(...gone.map((account, index): Line => [account, unit, -(balances[index] ?? 0n)]), [
      'lost',
      unit,
      balances.reduce((sum, amount) => sum + amount, 0n),
    ])
  }
  await recordEntry(tx, { cause: `reset:${ledgerHash}`, kind: 'network-reset', lines })
}
