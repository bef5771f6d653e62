import { readHorizon } from '@windlass/stellar/horizon-account.ts'
import type { Deps } from '../deps.ts'
import { type IncomingPayment, receivePayment } from './receive-ledger-payment.ts'

const PAGE = 200

interface PaymentRecord {
  id: string
  paging_token: string
  type: string
  transaction_hash: string
  transaction_successful: boolean
  from?: string
  from_muxed?: string
  to?: string
  to_muxed_id?: string
  asset_code?: string
  asset_issuer?: string
  amount?: string
  transaction?: { memo?: string; memo_type?: string }
}

/**
 * Reads the payments of the distribution account from the stored cursor to the end. A page's effects and its new
 * cursor are one transaction, so that a crash repeats nothing and skips nothing.
 */
export async function observePayments(deps: Deps): Promise<void> {
  const { anchor } = deps.config
  const account = anchor.accounts.distribution
  for (;;) {
    const cursor = await cursorOf(deps, account)
    const url = `${anchor.network.ledgerUrl ?? anchor.network.horizonUrl}/accounts/${account}/payments?order=asc&limit=${PAGE}&join=transactions&cursor=${cursor}`
    const page = await readHorizon<{ _embedded: { records: PaymentRecord[] } }>(url, 'routine')
    const records = page?._embedded.records ?? []
    const caughtUp = records.length < PAGE
    if (records.length > 0) deps.faults.at('ledger:read')
    await deps.database.db.transaction().execute(async tx => {
      for (const record of records) {
        const payment = asIncoming(deps, record)
        if (payment) await receivePayment(deps, tx, payment)
      }
      await tx
        .insertInto('observed')
        .values({
          account,
          cursor: records.at(-1)?.paging_token ?? cursor,
          caught_up_at: caughtUp ? deps.clock.now() : null,
        })
        .onConflict(conflict =>
          conflict.column('account').doUpdateSet({
            cursor: records.at(-1)?.paging_token ?? cursor,
            ...(caughtUp ? { caught_up_at: deps.clock.now() } : {}),
          }),
        )
        .execute()
    })
    if (records.length > 0) {
      deps.faults.at('ledger:noted')
      deps.wake.emit('sepCalls')
      deps.wake.emit('ledgerPayments')
      deps.wake.emit('railOrders')
    }
    if (caughtUp) return
  }
}

async function cursorOf({ database }: Deps, account: string): Promise<string> {
  const row = await database.db
    .selectFrom('observed')
    .select('cursor')
    .where('account', '=', account)
    .executeTakeFirst()
  return row?.cursor ?? '0'
}

/** Seconds since everything was last read; null before the first time. */
export async function observerLag({ database, config, clock }: Deps): Promise<number | null> {
  const row = await database.db
    .selectFrom('observed')
    .select('caught_up_at')
    .where('account', '=', config.anchor.accounts.distribution)
    .executeTakeFirst()
  return row?.caught_up_at ? Math.max(0, (clock.now().getTime() - row.caught_up_at.getTime()) / 1000) : null
}

/** A payment of the anchor's asset to the distribution account; null for everything else. */
function asIncoming({ config }: Deps, record: PaymentRecord): IncomingPayment | null {
  const { accounts, plan } = config.anchor
  const ours =
    record.type.includes('payment') &&
    record.transaction_successful &&
    record.to === accounts.distribution &&
    record.asset_code === plan.asset.code &&
    record.asset_issuer === accounts.issuer
  if (!ours || !record.from || !record.amount) return null
  return {
    id: record.id,
    hash: record.transaction_hash,
    sender: record.from,
    returnTo: record.from_muxed ?? record.from,
    amount: record.amount,
    memo: record.transaction?.memo ?? null,
    memoType: record.transaction?.memo_type ?? 'none',
    muxedId: record.to_muxed_id ?? null,
  }
}

/**
 * Horizon's stream only wakes the observer: the payments are read from the cursor. Reconnects by itself.
 */
export function listenForPayments(deps: Deps, ring: () => void): { stop(): void } {
  const stopping = new AbortController()
  const { anchor } = deps.config
  const url = `${anchor.network.ledgerUrl ?? anchor.network.horizonUrl}/accounts/${anchor.accounts.distribution}/payments?cursor=now`
  const follow = async (): Promise<void> => {
    const response = await fetch(url, {
      headers: { accept: 'text/event-stream' },
      signal: stopping.signal,
    })
    ring()
    for await (const _chunk of response.body ?? []) ring()
  }
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await follow().catch(() => undefined)
      await new Promise(resolve => setTimeout(resolve, 1_000).unref())
    }
  }
  void loop()
  return { stop: () => stopping.abort() }
}
