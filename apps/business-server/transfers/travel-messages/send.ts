import type { OutboundTls } from '@windlass/service/outbound/outbound.ts'
import { claimDue } from '@windlass/service/work/claim-due.ts'
import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import { findProvider, tlsOfProvider } from '../../people/travel-providers/directory.ts'
import type { Tables, TravelInquiryRow } from '../../tables.ts'
import { answerUrl, isOfProvider, resolutionOf, takeAnswer } from './exchange.ts'
import { changeInquiry, lockInquiry, openDetails, removeExpected } from './inquiries.ts'
import { NotTaken, type TravelProtocol } from './protocol.ts'
import { trp } from './trp.ts'

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

/** For the due work. */
export const travelMessagesDueAt = sql<Date | null>`
  select min(next_try_at) from travel_inquiries where next_try_at is not null`

/** Sends providers what waits for it. A repeat after a crash has the same number. */
export async function sendTravelMessages(deps: Deps): Promise<void> {
  const rows = await claimDue<TravelInquiryRow, Tables>(deps.database.db, {
    ...{ table: 'travel_inquiries', dueAt: 'next_try_at', leaseSeconds: LEASE_SECONDS, limit: AT_ONCE },
    ...{ now: deps.clock.now(), where: sql`tells is not null`, set: sql`tries = tries + 1` },
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
  const address = (await findProvider(deps.database.db, row.provider_id))?.travelAddress
  if (!document || amount === null || !address) throw new NotTaken('refused')
  const callback = answerUrl(deps, row.id)
  const tls = await tlsOfProvider(deps, row.provider_id)
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

async function answerOrConfirm(deps: Deps, row: TravelInquiryRow): Promise<void> {
  const details = openDetails(deps.sealer, row)
  const protocol = protocols[row.protocol](deps, await tlsOfProvider(deps, row.provider_id))
  const resolution = resolutionOf(deps, row, details)
  if (details.callback !== null) {
    if (!(await isOfProvider(deps, deps.database.db, row, details.callback))) throw new NotTaken('refused')
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
