import type { TravelInquiry, TravelProvider } from '@windlass/contracts/anchor/travel-messages.ts'
import { servedAsset } from '@windlass/contracts/internal/served-assets.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { muxedParts } from '@windlass/stellar/addresses.ts'
import type { Deps } from '../../deps.ts'
import { providerAt } from '../../people/travel-providers/directory.ts'
import type { Tables, Transfer, TravelInquiryRow } from '../../tables.ts'
import {
  addInquiry,
  changeInquiry,
  inquiryForm,
  lockInquiry,
  openDetails,
  sentOf,
  standingOf,
} from './inquiries.ts'
import type { Ending, Resolution } from './protocol.ts'
import { isAllowed } from './trp.ts'

const answersAt = ({ config }: Pick<Deps, 'config'>, kind: 'answers' | 'confirmations', id: string): string =>
  `${config.anchor.publicUrl}/api/v1/trp/${kind}/${id}`
export const answerUrl = (deps: Pick<Deps, 'config'>, id: string): string => answersAt(deps, 'answers', id)
const confirmationUrl = (deps: Pick<Deps, 'config'>, id: string): string =>
  answersAt(deps, 'confirmations', id)

/** The asset of a transfer as messages name it. */
export const assetOf = ({ config }: Pick<Deps, 'config'>, { asset }: Pick<Transfer, 'asset'>): string => {
  const served = servedAsset(config.anchor, asset)
  return `${served.code}:${served.issuer}`
}

/**
 * Asks the provider of a deposit's wallet, or expects an inquiry of a withdrawal's, once; in the caller's transaction.
 *
 * @returns whether money still waits for the answer.
 */
export async function isUnanswered(
  deps: Deps,
  tx: Db<Tables>,
  transfer: Transfer,
  provider: TravelProvider,
  document: NonNullable<TravelInquiry['document']>,
): Promise<boolean> {
  const isSent = transfer.direction === 'deposit'
  const direction = isSent ? 'sent' : 'received'
  const standing = await standingOf(tx, transfer.id, { direction, providerId: provider.id })
  if (standing !== 'none') return standing === 'asked'
  await addInquiry(deps, tx, {
    ...{ provider, transfer_id: transfer.id, direction },
    ...{ state: isSent ? 'queued' : 'expected', tells: isSent ? 'inquiry' : null },
    details: {
      document: isSent ? document : null,
      amount: transfer.amount && formatAmount(parseAmount(transfer.amount)),
      ...{ asset: assetOf(deps, transfer), callback: null, address: null, reason: null },
      paysTo: isSent ? addressOf(transfer) : null,
    },
  })
  deps.wake.emit('travelMessages')
  return true
}

/** Tells the provider by which payment a deposit was paid, in the caller's transaction. */
export async function tellPaid(deps: Deps, tx: Db<Tables>, transferId: string, hash: string): Promise<void> {
  for (const row of await sentOf(tx, transferId))
    if (row.state === 'approved')
      await changeInquiry(deps, tx, row, { state: 'confirmed', txid: hash, tells: 'confirmation' })
}

const addressOf = ({ stellar_account: account, memo }: Transfer): string =>
  memo === null ? account : `${account}:${memo}`

/** The account of an address, and whose it is there: by its memo, or the number of a muxed account. */
function partsOf(address: string): { account: string; of: string | null } {
  const [account = '', ...memo] = address.split(':')
  const muxed = muxedParts(account)
  return { account: muxed?.base ?? account, of: muxed?.id ?? (memo.length > 0 ? memo.join(':') : null) }
}

/** Whether an approval is of the account that is paid, and of the same customer there if it names one. */
function isOf(approved: string, paid: string): boolean {
  const [theirs, ours] = [partsOf(approved), partsOf(paid)]
  return theirs.account === ours.account && (theirs.of === null || theirs.of === ours.of)
}

/** Takes a provider's answer to an inquiry of ours. One that was answered stays as it is. */
export async function takeAnswer(
  deps: Deps,
  tx: Db<Tables>,
  row: TravelInquiryRow,
  answer: Resolution,
): Promise<void> {
  if (row.direction !== 'sent' || !['queued', 'sent'].includes(row.state)) return
  const answered = { tells: null, answered_at: deps.clock.now() }
  if ('rejected' in answer)
    return changeInquiry(deps, tx, row, {
      ...answered,
      state: 'rejected',
      details: { reason: answer.rejected },
    })
  const { address, callback } = answer.approved
  // Money goes where the customer said, never where an answer says.
  const { paysTo } = openDetails(deps.sealer, row)
  if (paysTo === null || !isOf(address, paysTo))
    return changeInquiry(deps, tx, row, {
      ...{ ...answered, state: 'rejected' },
      details: { address, reason: 'The provider approved another address than the one that is paid.' },
    })
  const isTheirs = await isOfProvider(deps, tx, row, callback)
  return changeInquiry(deps, tx, row, {
    ...{ ...answered, state: 'approved' },
    details: { address, callback: isTheirs ? callback : null },
  })
}

/** Whether a URL has the host of an inquiry's provider, as its travel address is now. */
const isOfProvider = async (
  deps: Deps,
  db: Db<Tables>,
  { provider_id: id }: Pick<TravelInquiryRow, 'provider_id'>,
  url: string,
): Promise<boolean> => isAllowed(deps, url) && (await providerAt(db, url))?.id === id

/** Takes which payment an inquiry was about that was approved here. */
export async function takeEnding(
  deps: Deps,
  tx: Db<Tables>,
  row: TravelInquiryRow,
  ending: Ending,
): Promise<void> {
  if (row.direction !== 'received' || row.state !== 'approved') return
  // Who knows this address has the answer.
  const tells = null
  if ('txid' in ending) return changeInquiry(deps, tx, row, { state: 'confirmed', tells, txid: ending.txid })
  await changeInquiry(deps, tx, row, { state: 'canceled', tells, details: { reason: ending.canceled } })
}

/** The answer of this anchor to an inquiry, as its provider gets it. */
export function resolutionOf(
  deps: Deps,
  row: Pick<TravelInquiryRow, 'id' | 'state'>,
  { reason, address }: { reason: string | null; address: string | null },
): Resolution | null {
  if (row.state === 'rejected') return { rejected: reason ?? 'rejected' }
  const passed = row.state === 'approved' || row.state === 'confirmed'
  return passed ? { approved: { address: address ?? '', callback: confirmationUrl(deps, row.id) } } : null
}

/**
 * A person's decision: answers an inquiry that came, or lets money move without an answer.
 *
 * @throws {Problem} `not-found`, `travel-inquiry-answered`
 */
export async function decideInquiry(
  deps: Deps,
  id: string,
  { decision, reason, by }: { decision: 'approve' | 'reject' | 'release'; reason: string; by: string },
): Promise<TravelInquiry> {
  const decided = await deps.database.db.transaction().execute(async tx => {
    const row = await lockInquiry(tx, id)
    if (!row) throw new Problem('not-found', 'There is no inquiry with this id.')
    const at = { by, answered_at: deps.clock.now() }
    const answers = row.state === 'waiting' && decision !== 'release'
    const releases = ['queued', 'sent', 'expected', 'rejected'].includes(row.state) && decision === 'release'
    if (!answers && !releases)
      throw new Problem(
        'travel-inquiry-answered',
        'It is answered already, or nothing of it waits for this decision.',
      )
    const state = decision === 'release' ? 'released' : decision === 'approve' ? 'approved' : 'rejected'
    const tells = answers ? 'resolution' : null
    await changeInquiry(deps, tx, row, { ...at, state, tells, details: { reason } })
    return lockInquiry(tx, id)
  })
  deps.wake.emit('travelMessages')
  if (!decided) throw new Error('a decided inquiry is gone')
  return inquiryForm(deps.sealer, decided)
}
