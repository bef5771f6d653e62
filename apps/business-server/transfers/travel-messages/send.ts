import type { OutboundTls } from '@windlass/service/outbound/outbound.ts'
import { claimDue, firstDueAt, RETRIES_WITHIN_SECONDS } from '@windlass/service/work/claim-due.ts'
import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import { findEntered, findProvider, hostOf } from '../../people/travel-providers/directory.ts'
import type { TravelProvider } from '@windlass/contracts/anchor/travel-messages.ts'
import type { Tables, TravelInquiryRow } from '../../tables.ts'
import { answerUrl, resolutionOf, takeAnswer } from './exchange.ts'
import { changeInquiry, lockInquiry, openDetails, removeExpected } from './inquiries.ts'
import { NotTaken, type TravelProtocol } from './protocol.ts'
import { isAllowed, trp } from './trp.ts'

const protocols: Readonly<
  Record<TravelInquiryRow['protocol'], (deps: Deps, tls?: OutboundTls) => TravelProtocol>
> = {
  trp,
}

/** Longer than an answer may take. */
const LEASE_SECONDS = 30
const AT_ONCE = 10
const FIRST_PAUSE_MS = 60_000
const LONGEST_PAUSE_MS = 3_600_000

const WAITING = {
  table: 'travel_inquiries',
  dueAt: 'next_try_at',
  where: sql`tells is not null`,
  longestSeconds: RETRIES_WITHIN_SECONDS,
}

/** For the due work. */
export const travelMessagesDueAt = firstDueAt(WAITING)

/** Sends providers what waits for it. A repeat after a crash has the same number. */
export async function sendTravelMessages(deps: Deps): Promise<void> {
  const rows = await claimDue<TravelInquiryRow, Tables>(deps.database.db, {
    ...{ ...WAITING, leaseSeconds: LEASE_SECONDS, limit: AT_ONCE },
    ...{ now: deps.clock.now(), set: sql`tries = tries + 1` },
  })
  await Promise.all(rows.map(row => tell(deps, row)))
}

async function tell(deps: Deps, row: TravelInquiryRow): Promise<void> {
  try {
    if (row.tells === 'inquiry') await ask(deps, row)
    else await answerOrConfirm(deps, row)
  } catch (error) {
    if (!(error instanceof NotTaken)) throw error
    deps.logger.warn(
      { inquiry: row.id, failure: error.failure },
      'a provider did not take a travel rule message',
    )
    await again(deps, row, error.failure)
  }
}

/** Tries after which nothing is tried again: about a week of them. */
const MOST_TRIES = 170
/** Half an hour: who refuses an answer did not ask. */
const MOST_REFUSALS = 5

/** Plans the next try, or ends them and keeps why. A person can still let the money move. */
async function again({ database: { db }, clock }: Deps, row: TravelInquiryRow, failure: NotTaken['failure']) {
  const most = row.tells === 'resolution' && failure === 'refused' ? MOST_REFUSALS : MOST_TRIES
  const isOver = row.tries >= most || !(await findProvider(db, row.provider_id))?.travelAddress
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(row.tries, 10), LONGEST_PAUSE_MS)
  const next = isOver
    ? { tells: null, next_try_at: null, client: null }
    : { next_try_at: new Date(clock.now().getTime() + pause) }
  await db
    .updateTable('travel_inquiries')
    .set({ failure, ...next })
    .where('id', '=', row.id)
    .where('tells', '=', row.tells)
    .execute()
}

async function ask(deps: Deps, row: TravelInquiryRow): Promise<void> {
  const { document, amount, asset } = openDetails(deps.sealer, row)
  const { provider, tls } = await requireEntered(deps, row)
  const address = provider.travelAddress
  if (!document || amount === null || !address) throw new NotTaken('refused')
  const callback = answerUrl(deps, row.id)
  const answer = await protocols[row.protocol](deps, tls).inquire(address, {
    ...{ request: row.request, amount, asset, callback, document },
  })
  await deps.database.db.transaction().execute(async tx => {
    const now = await lockInquiry(tx, row.id)
    // The provider may have answered before its answer to the question came.
    if (!now || now.state !== 'queued') return
    await changeInquiry(deps, tx, now, { state: 'sent', tells: null })
    if (answer) await takeAnswer(deps, tx, { ...now, state: 'sent' }, answer)
  })
}

/** Throws {@link NotTaken} where nothing proves that people entered the provider so: what customers told goes to nobody else. */
async function requireEntered(deps: Deps, { id, provider_id }: TravelInquiryRow) {
  const entered = await findEntered(deps, provider_id)
  if (entered) return entered
  deps.logger.error(
    { inquiry: id, provider: provider_id },
    'a provider in the directory was entered by nobody',
  )
  throw new NotTaken('refused')
}

/** Whether a URL has the host of a provider's travel address. */
const isAt = (deps: Deps, { travelAddress }: TravelProvider, url: string): boolean =>
  isAllowed(deps, url) && hostOf(travelAddress) === URL.parse(url)?.host

async function answerOrConfirm(deps: Deps, row: TravelInquiryRow): Promise<void> {
  const details = openDetails(deps.sealer, row)
  const resolution = resolutionOf(deps, row, details)
  if (details.callback !== null) {
    const { provider, tls } = await requireEntered(deps, row)
    if (!isAt(deps, provider, details.callback)) throw new NotTaken('refused')
    const protocol = protocols[row.protocol](deps, tls)
    if (row.tells === 'confirmation' && row.txid !== null)
      await protocol.confirm(details.callback, row.request, { txid: row.txid })
    if (row.tells === 'resolution' && resolution)
      await protocol.resolve(details.callback, row.request, resolution)
  }
  await deps.database.db.transaction().execute(async tx => {
    const now = await lockInquiry(tx, row.id)
    if (!now || now.tells !== row.tells) return
    await changeInquiry(deps, tx, now, { tells: null })
    if (now.state === 'approved') await removeExpected(tx, now)
  })
  deps.wake.emit('railOrders')
}
