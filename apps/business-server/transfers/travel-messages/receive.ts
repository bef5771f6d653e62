import type { Person } from '@windlass/contracts/anchor/ivms101.ts'
import type { TravelProvider, TrpResolution } from '@windlass/contracts/anchor/travel-messages.ts'
import { parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import type { Deps } from '../../deps.ts'
import { findCustomer } from '../../people/customers/customers.ts'
import { nameOf } from '../../people/customers/seal-details.ts'
import { namesDiffer } from '../../people/customers/verified-name.ts'
import { hasCertificateOf, providerAt } from '../../people/travel-providers/directory.ts'
import type { Tables, Transfer } from '../../tables.ts'
import { assetOf } from './exchange.ts'
import { addInquiry, countOpen, findByRequest } from './inquiries.ts'
import type { Inquiry } from './protocol.ts'
import { isAllowed, readInquiry, TRP_VERSION } from './trp.ts'

/** Which withdrawal an account's memo belongs to; another slice has them. */
export type FindWithdrawal = (tx: Db<Tables>, memo: string) => Promise<Transfer | null>

/**
 * Takes an inquiry: approves what is as agreed with a customer, and leaves the rest to a person. The answer goes to the provider's
 * callback, never to who sent the inquiry. One from a provider that is not in the directory is rejected and not kept.
 *
 * @throws {Problem} `validation-failed`, `too-many-requests`
 */
export async function receiveInquiry(
  deps: Deps,
  { request, client, certificate }: { request: string; client: string; certificate: string | null },
  body: unknown,
  findWithdrawal: FindWithdrawal,
): Promise<TrpResolution> {
  const today = deps.clock.now().toISOString().slice(0, 10)
  const inquiry = readInquiry(request, body, today)
  if (typeof inquiry === 'string') throw invalid('body', inquiry)
  const { db } = deps.database
  // Without certificates there is no other proof of who asks than the host that takes the answer.
  const provider = isAllowed(deps, inquiry.callback) ? await providerAt(db, inquiry.callback) : null
  if (!provider) return { rejected: 'This provider is not known here. Ask the anchor to enter it first.' }
  if (!hasCertificateOf(provider, certificate)) return { rejected: OTHER_CERTIFICATE }
  if (await findByRequest(db, provider.id, request)) return LATER
  await db
    .transaction()
    .execute(tx => keepInquiry(deps, tx, { ...inquiry, client }, provider, findWithdrawal))
  deps.wake.emit('travelMessages')
  return LATER
}

const OTHER_CERTIFICATE = 'The certificate of the client is none that this provider is entered with.'

/** The answer is sent on its own. */
const LATER: TrpResolution = { version: TRP_VERSION }

/**
 * Open ones in a provider's name about one withdrawal, and about none that waits: of one network, and of all. Those that say
 * what was agreed are counted apart from others, which need no knowledge of it.
 */
const MOST_OF_WITHDRAWAL = { client: 5, all: 50 }
const MOST_OF_NONE = { client: 50, all: 500 }
const RETRY_SECONDS = '600'

async function keepInquiry(
  deps: Deps,
  tx: Db<Tables>,
  inquiry: Inquiry & { client: string },
  provider: TravelProvider,
  findWithdrawal: FindWithdrawal,
): Promise<void> {
  const { document, amount, asset, callback, request, client } = inquiry
  const transfer = await withdrawalOf(deps, tx, inquiry, findWithdrawal)
  const isAgreed = transfer !== null && (await isAsAgreed(deps, tx, inquiry, transfer))
  const of = { providerId: provider.id, transferId: transfer?.id ?? null, client, isApproved: isAgreed }
  const open = await countOpen(tx, of)
  const most = transfer ? MOST_OF_WITHDRAWAL : MOST_OF_NONE
  if (open.client >= most.client || open.all >= most.all)
    throw new Problem('too-many-requests', 'Too many inquiries wait for an answer. Try again later.', {
      headers: { 'retry-after': RETRY_SECONDS },
    })
  const address = transfer && `${deps.config.anchor.accounts.distribution}:${transfer.ledger_memo}`
  await addInquiry(deps, tx, {
    ...{ direction: 'received', request, client, provider, transfer_id: transfer?.id ?? null },
    ...(isAgreed ? { state: 'approved', tells: 'resolution' } : { state: 'waiting', tells: null }),
    details: { document, amount, asset, callback, address, paysTo: null, reason: null },
  })
}

/** States in which units may still come, or wait to be paid out. */
const WAITS: readonly Transfer['state'][] = ['awaiting_funds', 'expired', 'funded']

/** The withdrawal whose memo the beneficiary's account has (`G…:memo`), while it waits. */
async function withdrawalOf(
  { config }: Deps,
  tx: Db<Tables>,
  { document }: Inquiry,
  findWithdrawal: FindWithdrawal,
): Promise<Transfer | null> {
  for (const { accountNumber = [] } of document.beneficiary.beneficiaryPerson)
    for (const number of accountNumber) {
      const [account, memo] = number.split(':')
      if (account !== config.anchor.accounts.distribution || !memo) continue
      const found = await findWithdrawal(tx, memo)
      return found && WAITS.includes(found.state) ? found : null
    }
  return null
}

/** Whether amount, asset and the beneficiary's name are those of the withdrawal. */
async function isAsAgreed(
  deps: Deps,
  tx: Db<Tables>,
  { amount, asset, document }: Inquiry,
  transfer: Transfer,
): Promise<boolean> {
  if (asset !== assetOf(deps, transfer) || transfer.amount === null) return false
  if (parseAmount(amount) !== parseAmount(transfer.amount)) return false
  const store = { sealer: deps.sealer, database: { ...deps.database, db: tx } }
  const customer = await findCustomer(store, transfer.account, transfer.account_memo)
  const known = customer && nameOf(customer)
  const [person] = document.beneficiary.beneficiaryPerson
  return known !== null && person !== undefined && namesDiffer(spoken(person), known) === false
}

function spoken({ naturalPerson, legalPerson }: Person): string {
  const natural = naturalPerson?.name.nameIdentifier[0]
  if (natural) return [natural.secondaryIdentifier, natural.primaryIdentifier].filter(Boolean).join(' ')
  return legalPerson?.name.nameIdentifier[0]?.legalPersonName ?? ''
}
