import { describeOutboundFailure, type Outbound } from './outbound.ts'
import { signWebhook } from './webhooks.ts'

const TIMEOUT_MS = 10_000
/** After each attempt. About a day in all. */
const PAUSES_SECONDS = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 28_800]

/** Seconds until the next attempt after so many; null: that was the last one. */
export const webhookPause = (attempts: number): number | null => PAUSES_SECONDS[attempts - 1] ?? null

interface WebhookMessage {
  url: string
  /** `whsec_…`. A failure to read it is an outcome too. */
  secret(): string
  /** The same for each attempt, so that a receiver can drop repeats. */
  messageId: string
  /** JSON. */
  body: string
  now: Date
}

interface WebhookOutcome {
  /** What the endpoint answered; null: nothing. */
  status: number | null
  /** Why the message was not accepted; null: it was. */
  error: string | null
}

/** Sends a message once to an address that is itself the secret. A failure is an outcome, not an error. */
export async function sendUnsigned(
  outbound: Pick<Outbound, 'request'>,
  address: () => string,
  body: string,
): Promise<WebhookOutcome> {
  let url: string
  try {
    url = address()
  } catch {
    return { status: null, error: UNREADABLE }
  }
  return post(outbound, url, { 'content-type': 'application/json' }, body)
}

/** Sends a message once, signed by Standard Webhooks. A failure is an outcome, not an error. */
export async function sendWebhook(
  outbound: Pick<Outbound, 'request'>,
  { url, secret, messageId, body, now }: WebhookMessage,
): Promise<WebhookOutcome> {
  let signed: Record<string, string>
  try {
    signed = signWebhook(secret(), messageId, body, now)
  } catch {
    return { status: null, error: UNREADABLE }
  }
  return post(outbound, url, { 'content-type': 'application/json', ...signed }, body)
}

const UNREADABLE = 'the secret cannot be decrypted: add the endpoint again'

async function post(
  outbound: Pick<Outbound, 'request'>,
  url: string,
  headers: Record<string, string>,
  body: string,
): Promise<WebhookOutcome> {
  try {
    const { status } = await outbound.request(url, { method: 'POST', headers, body, timeout: TIMEOUT_MS })
    const accepted = status >= 200 && status < 300
    return { status, error: accepted ? null : `the endpoint answered ${status}` }
  } catch (error) {
    return { status: null, error: describeOutboundFailure(error) }
  }
}
