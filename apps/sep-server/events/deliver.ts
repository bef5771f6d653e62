import type { PlatformEvent } from '@windlass/contracts/anchor-platform.ts'
import { OutboundError } from '@windlass/service/outbound.ts'
import { startOutbox, type Deliver } from '@windlass/service/outbox.ts'
import type { Deps } from '../deps.ts'
import { findTransaction } from '../transactions/find.ts'
import { sepForm } from '../transactions/sep-form.ts'

const GIVE_UP_AFTER = 12

/** Delivers events to the business server, and to wallets that asked for them, until they are taken. */
export function startDeliveries(deps: Deps): { stop(): Promise<void>; drain(): Promise<void> } {
  return startOutbox({
    database: { db: deps.database.db as never, url: deps.database.url },
    logger: deps.logger,
    deliver: {
      event: ({ payload }) => deps.business.event(payload as PlatformEvent),
      'wallet-callback': callBack(deps),
      'customer-callback': async ({ payload, attempt }) => {
        const { url, body } = payload as { url: string; body: string }
        await post(deps, url, body, attempt)
      },
    },
  })
}

function callBack(deps: Deps): Deliver {
  return async ({ payload, attempt }) => {
    const { transactionId, url } = payload as { transactionId: string; url: string }
    const row = await findTransaction(deps.database.db, transactionId)
    if (!row) return
    const transaction = sepForm(row, await deps.pages.moreInfoUrl(row, deps.clock.now()))
    await post(deps, url, JSON.stringify({ transaction }), attempt)
  }
}

/**
 * A signed call to a wallet's server: `Signature: t=<unix>, s=<base64>`, Ed25519 with the SEP-10 key over
 * `t.host.body`. A wallet that never answers is given up after a while.
 */
async function post(deps: Deps, url: string, body: string, attempt: number): Promise<void> {
  const time = Math.floor(deps.clock.now().getTime() / 1000)
  const signature = deps.signer.sign(Buffer.from(`${time}.${new URL(url).host}.${body}`)).toString('base64')
  const value = `t=${time}, s=${signature}`
  const headers = { 'content-type': 'application/json', signature: value, 'x-stellar-signature': value }
  try {
    const { status } = await deps.outbound.request(url, { method: 'POST', headers, body })
    if (status >= 300) throw new OutboundError(`answered ${status}`)
  } catch (error) {
    if (attempt < GIVE_UP_AFTER) throw error
    deps.logger.warn({ url, err: error }, 'a wallet does not take its callback')
  }
}
