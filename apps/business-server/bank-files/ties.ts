import { parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { Deps } from '../deps.ts'
import { approvedFileOf, codesOfFiles, rejectedCodes } from '../rails/bank-file/payouts.ts'
import type { BankLine, BankPayout, Tables, Transfer } from '../tables.ts'
import { openDestination } from '../transfers/destination.ts'
import { findTransfer } from '../transfers/find.ts'
import { isNamed, isSameName } from './accounts.ts'
import { chargeOf, chargeOfFile, isSmall, totalOf } from './charges.ts'
import { leftFor, openLine } from './lines.ts'

/** What a line has in common with what it is said to be. */
type Tie = 'reference' | 'file' | 'account' | 'payer'

/** What speaks against it, so that it was not matched by itself. */
type Doubt =
  | 'other-name'
  | 'no-name'
  | 'possible-duplicate'
  | 'not-in-approved-file'
  | 'rejected-file'
  | 'debit-not-read'
  | 'several-named'
  /** A bank took or kept a part. */
  | 'bank-charge'

export interface Weighed {
  ties: Tie[]
  doubts: Doubt[]
  /** Whether two people decide, whatever the amount. */
  twoPeople?: boolean
}

/** @param payers under which names the customer may pay. */
export async function weighDeposit(
  deps: Deps,
  tx: Db<Tables>,
  line: BankLine,
  { reference, fiat_amount: agreed }: Transfer,
  payers: readonly string[],
): Promise<Weighed> {
  const isPayer = isNamed(openLine(deps.sealer, line).name, payers)
  const ties: Tie[] = [
    ...(reference !== null && line.codes.includes(reference) ? (['reference'] as const) : []),
    ...(isPayer === true ? (['payer'] as const) : []),
  ]
  const doubts = doubtsAboutLine(line, 'W')
  if (isPayer === false) doubts.push('other-name')
  if (isPayer === null && payers.length > 0) doubts.push('no-name')
  if (line.direction === 'in' && chargeOf(line, agreed ?? line.amount)) doubts.push('bank-charge')
  return { ties, doubts }
}

/** Whether a debit takes a deposit back. */
export async function weighTakenBack(
  deps: Deps,
  tx: Db<Tables>,
  line: BankLine,
  { takenBack, amount, isPart }: { takenBack: Transfer; amount: string; isPart: boolean },
  payers: readonly string[],
): Promise<Weighed> {
  const { ties, doubts } = await weighDeposit(deps, tx, line, takenBack, payers)
  const charge = chargeOf(line, amount) ?? 0n
  if (charge !== 0n) doubts.push('bank-charge')
  return { ties, doubts, twoPeople: isPart || !isSmall(charge, amount) }
}

/** Whether the line confirms a payout or, of money that came, ends it. */
export async function weighPayout(
  deps: Deps,
  tx: Db<Tables>,
  line: BankLine,
  payout: BankPayout,
): Promise<Weighed> {
  const party = openLine(deps.sealer, line)
  const transfer = payout.transfer_id ? await findTransfer(tx, payout.transfer_id) : null
  const { dest, dest_name } = transfer ? openDestination(deps.sealer, transfer) : {}
  const files = await codesOfFiles(tx, payout)
  const isPayee = isSameName(party.name, dest_name ?? null)
  const ties: Tie[] = []
  if (line.codes.includes(payout.code)) ties.push('reference')
  if (files.some(code => line.codes.includes(code))) ties.push('file')
  if (dest && party.account && bare(dest) === bare(party.account)) ties.push('account')
  if (isPayee === true) ties.push('payer')
  const doubts = doubtsAboutLine(line, 'P')
  if (isPayee === false) doubts.push('other-name')
  if ((await rejectedCodes(tx, [payout])).size > 0) doubts.push('rejected-file')
  else if (!(await approvedFileOf(tx, payout))) doubts.push('not-in-approved-file')
  if (line.direction === 'in' && payout.ended_at === null) doubts.push('debit-not-read')
  const charge = chargeOf(line, payout.amount, await leftFor(tx, payout.id))
  if (charge) doubts.push('bank-charge')
  return { ties, doubts, twoPeople: !isSmall(charge ?? 0n, payout.amount) }
}

/** Whether a line pays the payouts of a whole file that it names, or sends them back. */
export function weighFile(
  line: BankLine,
  { payouts, rejected }: { payouts: readonly BankPayout[]; rejected: boolean },
): Weighed {
  const total = totalOf(payouts)
  const charge = chargeOfFile(line, payouts) ?? 0n
  const doubts: Doubt[] = [
    ...(rejected ? (['rejected-file'] as const) : []),
    ...(charge === 0n ? [] : (['bank-charge'] as const)),
  ]
  return { ties: ['file'], doubts, twoPeople: !isSmall(charge, total) }
}

const bare = (account: string): string => account.replaceAll(/[^A-Za-z0-9]/g, '').toUpperCase()

function doubtsAboutLine(line: BankLine, kind: 'W' | 'P'): Doubt[] {
  const named = line.codes.filter(code => code.startsWith(kind))
  return [
    ...(named.length > 1 ? (['several-named'] as const) : []),
    ...(line.possible_duplicate_of === null ? [] : (['possible-duplicate'] as const)),
  ]
}

/**
 * Whether two lines may list one booking: of one account and direction, and of one amount or one reference of the bank, or
 * one was recorded as a possible duplicate of the other.
 */
export function mayBeTwins(line: BankLine, twin: BankLine): boolean {
  const isSame =
    line.id !== twin.id &&
    line.account === twin.account &&
    line.direction === twin.direction &&
    line.currency === twin.currency
  const isSameAmount = parseAmount(line.amount) === parseAmount(twin.amount)
  const booking = bookingOf(line)
  const isDoubtful = line.possible_duplicate_of === twin.id || twin.possible_duplicate_of === line.id
  return isSame && (isSameAmount || isDoubtful || (booking !== null && booking === bookingOf(twin)))
}

/** The bank's reference without the place of a transaction in a collective booking. */
const bookingOf = ({ bank_reference }: BankLine): string | null =>
  bank_reference === null ? null : bank_reference.replace(/\/[0-9]+$/, '')
