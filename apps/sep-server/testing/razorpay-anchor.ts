import { ACCOUNT, KEYS, RazorpayStandIn, WEBHOOK_SECRET } from '@windlass/testing/razorpay-stand-in.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { startRunningAnchor, type RunningAnchor } from './running-anchor.ts'

export interface RazorpayAnchor {
  running: RunningAnchor
  razorpay: RazorpayStandIn
  /** The business server's, which has them whenever it is started again. */
  settings: Record<string, string>
  stop(): Promise<void>
}

/** An anchor with UPI over Razorpay, which sends its webhooks, and with further rails of these credentials. */
export async function startRazorpayAnchor(
  further: Record<string, Record<string, string>> = {},
  env: Record<string, string> = {},
): Promise<RazorpayAnchor> {
  const [running, razorpay] = await Promise.all([
    startRunningAnchor({ rails: ['UPI', ...Object.keys(further)] }),
    RazorpayStandIn.start(),
  ])
  const UPI = {
    ...{ provider: 'razorpay', ...KEYS, accountNumber: ACCOUNT, webhookSecret: WEBHOOK_SECRET },
    accountHolder: 'Mumbai Pay Pvt Ltd',
  }
  const settings = {
    RAIL_CREDENTIALS: JSON.stringify({ UPI, ...further }),
    RAIL_PROVIDER_URL: razorpay.url,
    ...env,
  }
  await running.kill('business')
  await running.start('business', settings)
  const closed = new AbortController()
  const webhooks = sendWebhooks(running, razorpay, closed.signal)
  return {
    running,
    razorpay,
    settings,
    stop: async () => {
      closed.abort()
      await webhooks
      await running.stop()
      await razorpay.stop()
    },
  }
}

/** Razorpay's webhooks about everything that ended, again and again, each followed by an earlier one. */
async function sendWebhooks(
  running: RunningAnchor,
  razorpay: RazorpayStandIn,
  closed: AbortSignal,
): Promise<void> {
  for (; !closed.aborted; await sleep(300)) {
    for (const each of [...razorpay.payouts.values(), ...razorpay.refunds.values()]) each.status = 'processed'
    const paid = [...razorpay.links.values()].filter(({ status }) => status === 'paid')
    const sent = [
      ...[...razorpay.payouts.values()].flatMap(each => [
        razorpay.webhook('payout.processed', each),
        razorpay.webhook('payout.initiated', each),
      ]),
      ...[...razorpay.refunds.values()].map(each => razorpay.webhook('refund.processed', each)),
      ...[...razorpay.disputes.values()].flatMap(each => [
        razorpay.webhook('payment.dispute.lost', each),
        razorpay.webhook('payment.dispute.created', each),
      ]),
      ...paid.map(each => razorpay.webhook('payment_link.paid', each)),
    ]
    for (const { body, headers } of sent)
      await fetch(`${running.businessUrl}/api/v1/rails/UPI/webhook`, { method: 'POST', body, headers })
        .then(answer => answer.body?.cancel())
        .catch(() => undefined)
  }
}
