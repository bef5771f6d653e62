import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Entity = Record<string, unknown> & { id: string }
interface Answer {
  status: number
  body: unknown
}
/**
 * `lost`: it is done, and the connection breaks before the answer. `error`: nothing is done, 500. `hang-up`: nothing is
 * done, and the connection breaks.
 */
type Fault = 'lost' | 'error' | 'hang-up'

export const KEYS = { keyId: 'rzp_test_A1b2C3d4E5', keySecret: 'secretsecretsecret' }
export const ACCOUNT = '7878780080316316'
export const WEBHOOK_SECRET = 'webhook-secret-of-razorpay'

const newId = (prefix: string) => `${prefix}_${randomBytes(7).toString('hex')}`
const seconds = () => Math.floor(Date.now() / 1000)
const refuse = (description: string, field: string | null = null, status = 400): Answer => ({
  status,
  body: { error: { code: 'BAD_REQUEST_ERROR', description, field, source: 'business', step: null } },
})
const found = (entity: unknown): Answer =>
  entity ? { status: 200, body: entity } : refuse('The id provided does not exist')

/**
 * Razorpay as its public documentation describes it (payment links, QR codes, refunds, RazorpayX payouts, webhooks), for
 * tests; it misbehaves on demand.
 */
export class RazorpayStandIn {
  readonly links = new Map<string, Entity>()
  readonly codes = new Map<string, Entity & { payments: Entity[] }>()
  readonly payouts = new Map<string, Entity>()
  readonly refunds = new Map<string, Entity>()
  readonly disputes = new Map<string, Entity>()
  /** Requests, as `POST /v1/payouts`. */
  readonly requests: string[] = []
  /** The next requests to a path that begin so fail, one each. */
  readonly faults: { path: string; fault: Fault }[] = []
  /** What happens to who asks, when the next request to a path that begins so comes and once it is done. */
  readonly interrupts: { path: string; when: 'before' | 'after'; act: () => void }[] = []
  /** VPAs that do not exist. */
  readonly unknownVpas = new Set<string>()
  private readonly answers = new Map<string, { body: string; answer: Answer }>()
  private readonly server: Server

  private constructor() {
    this.server = createServer((request, response) => void this.serve(request, response))
  }

  static async start(): Promise<RazorpayStandIn> {
    const standIn = new RazorpayStandIn()
    standIn.server.listen(0, '127.0.0.1')
    await once(standIn.server, 'listening')
    return standIn
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections()
    this.server.close()
    await once(this.server, 'close')
  }

  fail(path: string, fault: Fault): void {
    this.faults.push({ path, fault })
  }

  /** A customer pays on a link's page. */
  payLink(id: string): string {
    const link = this.links.get(id)
    if (!link) throw new Error('there is no such link')
    const payment = { payment_id: newId('pay'), plink_id: id, amount: link.amount, status: 'captured' }
    Object.assign(link, { status: 'paid', amount_paid: link.amount, payments: [payment] })
    return payment.payment_id
  }

  /** A customer scans a QR code and pays. */
  payCode(id: string, paise: number): string {
    const code = this.codes.get(id)
    if (!code) throw new Error('there is no such code')
    const payment = {
      id: newId('pay'),
      entity: 'payment',
      amount: paise,
      currency: 'INR',
      status: 'captured',
    }
    code.payments.push(payment)
    code.status = 'closed'
    return payment.id
  }

  /** A payer's bank asks for a payment back. */
  dispute(paymentId: string, paise: number): Entity {
    const about = { payment_id: paymentId, amount: paise, currency: 'INR', reason_code: 'goods_not_received' }
    const state = { amount_deducted: 0, status: 'open', phase: 'chargeback', respond_by: seconds() + 259_200 }
    const dispute = { id: newId('disp'), entity: 'dispute', ...about, ...state, created_at: seconds() }
    this.disputes.set(dispute.id, dispute)
    return dispute
  }

  endPayout(orderId: string, status: string, description: string | null = null): Entity {
    const payout = [...this.payouts.values()].find(each => each.reference_id === orderId)
    if (!payout) throw new Error('there is no such payout')
    return Object.assign(payout, { status, status_details: { description } })
  }

  /** A webhook's body and headers. */
  webhook(event: string, entity: Entity, secret = WEBHOOK_SECRET) {
    const [first = '', second = ''] = event.split('.')
    const kind = second === 'dispute' ? second : first
    const body = JSON.stringify({ entity: 'event', event, contains: [kind], payload: { [kind]: { entity } } })
    const signature = createHmac('sha256', secret).update(body).digest('hex')
    const headers = { 'x-razorpay-signature': signature, 'x-razorpay-event-id': newId('evt') }
    return { body, headers: { ...headers, 'content-type': 'application/json' } }
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = Buffer.concat(await request.toArray()).toString()
    const url = new URL(request.url ?? '/', 'http://razorpay')
    const called = `${request.method} ${url.pathname}`
    this.requests.push(called)
    const interrupted = this.interrupts.findIndex(({ path }) => called.startsWith(path))
    const [interrupt] = interrupted < 0 ? [] : this.interrupts.splice(interrupted, 1)
    if (interrupt?.when === 'before') {
      interrupt.act()
      return void request.socket.destroy()
    }
    const at = this.faults.findIndex(({ path }) => called.startsWith(path))
    const [failing] = at < 0 ? [] : this.faults.splice(at, 1)
    if (failing?.fault === 'hang-up') return void request.socket.destroy()
    const { status, body } =
      failing?.fault === 'error'
        ? { status: 500, body: { error: { code: 'SERVER_ERROR', description: 'Something went wrong' } } }
        : this.answer(request, url, text)
    interrupt?.act()
    if (interrupt || failing?.fault === 'lost') return void request.socket.destroy()
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }

  private answer({ method, headers }: IncomingMessage, url: URL, text: string): Answer {
    const basic = Buffer.from(`${KEYS.keyId}:${KEYS.keySecret}`).toString('base64')
    if (headers.authorization !== `Basic ${basic}`) return refuse('Authentication failed', null, 401)
    const [, , ...path] = url.pathname.split('/')
    const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>
    const route = `${method} ${path.map((part, index) => (/_[0-9a-f]{14}$/.test(part) && index ? ':id' : part)).join('/')}`
    const id = path.find(part => /_[0-9a-f]{14}$/.test(part)) ?? ''
    switch (route) {
      case 'POST payment_links':
        return this.addLink(body)
      case 'GET payment_links': {
        const reference = url.searchParams.get('reference_id')
        const links = [...this.links.values()].filter(each => each.reference_id === reference)
        return found({ payment_links: links })
      }
      case 'GET payment_links/:id':
        return found(this.links.get(id))
      case 'POST payments/qr_codes':
        return this.addCode(body)
      case 'GET payments/qr_codes/:id':
        return found(this.codes.get(id))
      case 'GET payments/qr_codes/:id/payments':
        return found({ entity: 'collection', items: this.codes.get(id)?.payments ?? [] })
      case 'POST payments/:id/refund':
        return this.once(headers['x-refund-idempotency'], text, () => this.addRefund(id, body))
      case 'GET payments/:id/refunds':
        return found({ items: [...this.refunds.values()].filter(each => each.payment_id === id) })
      case 'GET disputes': {
        const [skip, count] = ['skip', 'count'].map(name => Number(url.searchParams.get(name))) as [
          number,
          number,
        ]
        return found({ items: [...this.disputes.values()].reverse().slice(skip, skip + count) })
      }
      case 'GET disputes/:id':
        return found(this.disputes.get(id))
      case 'GET refunds': {
        const skip = Number(url.searchParams.get('skip') ?? 0)
        return found({ items: [...this.refunds.values()].reverse().slice(skip, skip + 100) })
      }
      case 'GET refunds/:id':
        return found(this.refunds.get(id))
      case 'POST payouts':
        return this.once(headers['x-payout-idempotency'], text, () => this.addPayout(body))
      case 'GET payouts':
        return this.listPayouts(url.searchParams)
      case 'GET payouts/:id':
        return found(this.payouts.get(id))
      default:
        return refuse(`The requested URL was not found: ${route}`, null, 404)
    }
  }

  /** The same key gives the same answer; with another body it is refused. */
  private once(key: string | string[] | undefined, body: string, act: () => Answer): Answer {
    if (typeof key !== 'string') return refuse('Idempotency key is mandatory')
    const earlier = this.answers.get(key)
    if (earlier && earlier.body !== body) return refuse('Different request with the same idempotency key')
    const answer = earlier?.answer ?? act()
    this.answers.set(key, { body, answer })
    return answer
  }

  private addLink(body: Record<string, unknown>): Answer {
    if ([...this.links.values()].some(each => each.reference_id === body.reference_id))
      return refuse('payment link with given reference_id already exists', 'reference_id')
    if (Number(body.expire_by) < seconds() + 900)
      return refuse('expire_by must be 15 minutes ahead', 'expire_by')
    const id = newId('plink')
    const link = { ...body, id, short_url: `https://rzp.io/i/${id}`, status: 'created', payments: null }
    this.links.set(id, link)
    return found(link)
  }

  private addCode(body: Record<string, unknown>): Answer {
    const id = newId('qr')
    const code = { ...body, id, image_url: `https://rzp.io/i/${id}`, status: 'active', payments: [] }
    this.codes.set(id, code)
    return found(code)
  }

  private addRefund(paymentId: string, body: Record<string, unknown>): Answer {
    const id = newId('rfnd')
    const refund = {
      ...body,
      id,
      entity: 'refund',
      payment_id: paymentId,
      currency: 'INR',
      status: 'pending',
      created_at: seconds(),
    }
    this.refunds.set(id, refund)
    return found(refund)
  }

  private addPayout(body: Record<string, unknown>): Answer {
    const { vpa } = (body.fund_account ?? {}) as { vpa?: { address?: string } }
    if (body.account_number !== ACCOUNT) return refuse('The account is invalid', 'account_number')
    if (this.unknownVpas.has(vpa?.address ?? '')) return refuse('Invalid UPI ID', 'fund_account.vpa.address')
    const id = newId('pout')
    const payout = { ...body, id, entity: 'payout', status: 'processing', created_at: seconds() }
    this.payouts.set(id, payout)
    return found(payout)
  }

  private listPayouts(query: URLSearchParams): Answer {
    const reference = query.get('reference_id')
    const items = [...this.payouts.values()]
      .filter(each => each.account_number === query.get('account_number'))
      .filter(each => reference === null || each.reference_id === reference)
      .reverse()
    const skip = Number(query.get('skip') ?? 0)
    return found({ entity: 'collection', items: items.slice(skip, skip + Number(query.get('count') ?? 10)) })
  }
}
