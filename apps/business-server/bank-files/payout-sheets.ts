import type { PayoutMark, PayoutSheet, SheetPayment } from '@windlass/contracts/anchor/payout-files.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { createHash } from 'node:crypto'
import { otherHolder } from '../people/compliance/other-holder.ts'
import { removedText } from '../people/retention/rules.ts'
import type { Deps } from '../deps.ts'
import * as files from '../rails/bank-file/files.ts'
import type { PayoutFile, Tables } from '../tables.ts'
import { findTransfer } from '../transfers/find.ts'
import type { Payment } from './payout-destinations.ts'
import { openLine } from './lines.ts'
import { linesOf } from './find-lines.ts'

/** A payment with whom it pays, whatever account they have: a customer, or the payer of what goes back. */
type KeptPayment = SheetPayment & { payeeKey: string }

/** What is kept of a file beside its bytes, and what an approval names the hash of. */
interface Kept {
  code: string
  rail: string
  /** SHA-256 of the file's bytes. */
  file: string
  payments: KeptPayment[]
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

/** A file that is about to be made, as people will see it before they approve it. */
export async function createSheet(
  { sealer, ...deps }: Deps,
  tx: Db<Tables>,
  { code, rail, digest }: Pick<PayoutFile, 'code' | 'rail' | 'digest'>,
  payments: readonly Payment[],
): Promise<Pick<PayoutFile, 'sealed_sheet' | 'sheet_digest'>> {
  const described = await describe({ sealer, ...deps }, tx, payments)
  const before = await paidBefore({ sealer, ...deps }, tx, rail)
  const marked: KeptPayment[] = []
  for (const payment of described) {
    const { name, account } = payment.payee
    const seenHolder = await otherHolder({ sealer, ...deps }, tx, { names: [name], account })
    const marks: PayoutMark[] = [
      ...payment.marks,
      ...changesSince(before, payment),
      ...(seenHolder === null ? [] : (['other-holder'] as const)),
    ]
    marked.push({ ...payment, marks, seenHolder })
  }
  const kept: Kept = { code, rail, file: digest.toString('hex'), payments: marked }
  const text = JSON.stringify(kept)
  return { sealed_sheet: files.sealSheet(sealer, code, text), sheet_digest: sha256(text) }
}

/**
 * The payments of a file as they are in it, with the hash that an approval names.
 *
 * @throws {Problem} `payout-file-changed`
 */
export function readSheet({ sealer }: Pick<Deps, 'sealer'>, file: PayoutFile): PayoutSheet {
  const { payments } = openSheet(sealer, file)
  return {
    ...{ fileId: file.id, rail: file.rail, code: file.code, sha256: file.digest.toString('hex') },
    ...{ total: formatAmount(parseAmount(file.total)), currency: file.currency },
    sheet: file.sheet_digest?.toString('hex') ?? '',
    payments,
  }
}

/**
 * Refuses a file whose content is not what was seen: another sheet, other bytes, or accounts and amounts that have changed
 * since the file was made.
 *
 * @param seen the hash of the sheet, in hexadecimal.
 * @param payments what the file would have now.
 * @throws {Problem} `payout-file-changed`
 */
export async function requireSeen(
  deps: Deps,
  tx: Db<Tables>,
  file: PayoutFile,
  seen: string,
  payments: readonly Payment[],
): Promise<void> {
  const { payments: shown } = openSheet(deps.sealer, file)
  const now = await describe(deps, tx, payments)
  const isSame = factsOf(now) === factsOf(shown)
  if (isSame && file.sheet_digest?.toString('hex') === seen) return
  throw changed('It is not the one that you have seen. Look at its payments again, or cancel it.')
}

const changed = (detail: string) => new Problem('payout-file-changed', detail)

/** What a payment does, whatever is said about it. */
const factsOf = (payments: readonly SheetPayment[]): string =>
  JSON.stringify(
    payments
      .map(({ payoutId, code, amount, payee }) => [
        payoutId,
        code,
        amount,
        payee.name,
        payee.account,
        payee.bank,
      ])
      .sort(),
  )

function openSheet(sealer: Deps['sealer'], file: PayoutFile): Kept {
  if (file.removed_at) throw new Problem('payout-file-not-found', `${removedText(file.removed_at)}.`)
  if (!file.sealed_sheet || !file.sheet_digest)
    throw changed(
      'An earlier release made this file, without a list of its payments. Cancel it and make a new one.',
    )
  const kept = openWhole(sealer, {
    ...file,
    sealed_sheet: file.sealed_sheet,
    sheet_digest: file.sheet_digest,
  })
  if (kept) return kept
  throw changed('Its content is not the one that it was made with. Cancel it and make a new one.')
}

/** Null: sheet and bytes are not those with which the file was made. */
function openWhole(
  sealer: Deps['sealer'],
  file: PayoutFile & { sealed_sheet: Buffer; sheet_digest: Buffer },
): Kept | null {
  try {
    const text = files.openSheet(sealer, file)
    const kept = JSON.parse(text) as Kept
    const isWhole =
      sha256(text).equals(file.sheet_digest) &&
      sha256(files.openFile(sealer, file)).equals(file.digest) &&
      kept.file === file.digest.toString('hex')
    return isWhole ? kept : null
  } catch {
    return null
  }
}

async function describe(deps: Deps, tx: Db<Tables>, payments: readonly Payment[]): Promise<KeptPayment[]> {
  const described: KeptPayment[] = []
  for (const payment of payments) described.push(await describeOne(deps, tx, payment))
  return described
}

async function describeOne(
  { sealer }: Deps,
  tx: Db<Tables>,
  { amount, destination, of }: Payment,
): Promise<KeptPayment> {
  const { dest: account = '', dest_extra: bank, dest_name: name = '' } = destination
  const [row] = of.line_id ? await linesOf(tx, [of.line_id]) : []
  const payer = row && openLine(sealer, row)
  const transfer = of.transfer_id ? await findTransfer(tx, of.transfer_id) : null
  const isElsewhere = of.kind === 'return' && bare(payer?.account) !== bare(account)
  const hasAddedName = of.kind === 'payout' && of.sealed_destination !== null
  const marks: PayoutMark[] = [
    ...(isElsewhere ? (['other-account'] as const) : []),
    ...(hasAddedName ? (['added-holder'] as const) : []),
  ]
  return {
    ...{ payoutId: of.id, code: of.code, kind: of.kind, amount: formatAmount(parseAmount(amount)) },
    payee: { name, account, bank: bank || null },
    transactionId: of.transfer_id,
    line:
      row && payer ? { id: row.id, bookedOn: row.booked_on, name: payer.name, account: payer.account } : null,
    marks,
    payeeKey: transfer
      ? (transfer.customer_id ?? `${transfer.account} ${transfer.account_memo ?? ''}`)
      : `payer ${(payer?.name ?? name).toUpperCase()}`,
  }
}

/** As account numbers are compared. */
export const bare = (account: string | null | undefined): string =>
  (account ?? '').replaceAll(/[\s-]/g, '').toUpperCase()

/** With how many earlier files a new one is compared. */
const EARLIER_FILES = 100

/** The accounts to which earlier approved files of a rail paid, by payee. */
async function paidBefore(
  { sealer }: Pick<Deps, 'sealer'>,
  tx: Db<Tables>,
  rail: string,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const paid = new Map<string, Set<string>>()
  for (const file of await files.approvedFiles(tx, rail, EARLIER_FILES))
    for (const { payeeKey, payee } of openSheet(sealer, file).payments) {
      const accounts = paid.get(payeeKey) ?? new Set()
      paid.set(payeeKey, accounts.add(bare(payee.account)))
    }
  return paid
}

function changesSince(
  before: ReadonlyMap<string, ReadonlySet<string>>,
  { payeeKey, payee }: KeptPayment,
): PayoutMark[] {
  const accounts = before.get(payeeKey)
  if (!accounts) return ['new-payee']
  return accounts.has(bare(payee.account)) ? [] : ['changed-account']
}
