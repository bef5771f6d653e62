import type { PlatformEvent } from '@windlass/contracts/anchor/anchor-platform.ts'
import { OutboundError } from '@windlass/service/outbound/outbound.ts'
import type { Deliver } from '@windlass/service/work/outbox.ts'
import type { Deps } from '../deps.ts'
import { sendUpdatesOf } from '../sep12/customers.ts'
import type { Owner } from '../tables.ts'
import { findTransaction } from '../transactions/transactions.ts'
import { directForm } from '../transactions/direct-form.ts'
import { forgetDetails } from '../transactions/details.ts'
import { walletForm } from '../transactions/look-up.ts'

const MAX_ATTEMPTS = 12

/** How each topic of the outbox is sent: events to the business server, callbacks to wallets. */
export function deliverers(deps: Deps): Record<string, Deliver> {
  return {
    event: async ({ payload }) => {
      const event = payload as PlatformEvent
      await deps.business.event(event)
      const { type, payload: sent } = event
      if (type === 'transaction_created' && sent.transaction) await forgetDetails(deps, sent.transaction.id)
    },
    'wallet-callback': async ({ payload, attempt }) => {
      const { transactionId, url } = payload as { transactionId: string; url: string }
      const row = await findTransaction(deps.database.db, transactionId)
      if (!row) return
      const transaction = row.sep === '31' ? directForm(row) : await walletForm(deps, row)
      await postSigned(deps, url, JSON.stringify({ transaction }), attempt)
    },
    'customer-update': ({ payload }) => sendUpdatesOf(deps, payload as Owner),
    'customer-callback': async ({ payload, attempt }) => {
      const { url, body } = payload as { url: string; body: string }
      await postSigned(deps, url, body, attempt)
    },
  }
}

/**
 * Calls a wallet's server with `Signature: t=<unix>, s=<base64>`, Ed25519 with the SEP-10 key over `t.host.body` (SEP-24).
 * The last failed attempt is logged and counts as done.
 */
async function postSigned(deps: Deps, url: string, body: string, attempt: number): Promise<void> {
  const time = Math.floor(deps.clock.now().getTime() / 1000)
  const signature = await deps.signingKey.signCallback({ time, host: new URL(url).host, body })
  const value = `t=${time}, s=${signature.toString('base64')}`
  const headers = { 'content-type': 'application/json', signature: value, 'x-stellar-signature': value }
  try {
    const { status } = await deps.outbound.request(url, { method: 'POST', headers, body })
    if (status >= 300) throw new OutboundError(`answered ${status}`)
  } catch (error) {
    if (attempt < MAX_ATTEMPTS) throw error
    deps.logger.warn({ url, err: error }, 'a wallet callback failed for the last time')
  }
}
