import { proxiedAgent } from '@windlass/service/outbound/proxy.ts'
import type Razorpay from 'razorpay'
import Type, { type Static, type TSchema } from 'typebox'
import Value from 'typebox/value'

/** How long Razorpay may be silent, and how long a whole answer may take. */
const SILENT_MS = 8_000
const WHOLE_MS = 15_000
const MAX_BYTES = 2_000_000
const PAGE = 100

/** Razorpay refused a request, or did not answer it. */
export class RazorpayError extends Error {
  /** The HTTP status; null: there was no answer, and what was asked for may have happened. */
  readonly status: number | null
  /** The field that a refusal is about, such as `fund_account.vpa.address`. */
  readonly field: string | null

  constructor(message: string, { status = null, field = null, cause }: Refusal = {}) {
    super(message, { cause })
    this.name = 'RazorpayError'
    this.status = status
    this.field = field
  }
}
interface Refusal {
  status?: number | null
  field?: string | null
  cause?: unknown
}

/** The official client answers errors from `response`; without one it would fail by itself. */
class AnsweredError extends RazorpayError {
  readonly response: { status: number | null; data: { error: AnsweredError } }
  constructor(message: string, refusal: Refusal) {
    super(message, refusal)
    this.response = { status: this.status, data: { error: this } }
  }
}

/** What this client uses of the HTTP client inside the official one. */
interface Http {
  defaults: Record<string, unknown>
  interceptors: {
    request: { use(prepare: (request: object) => object): void }
    response: { use(accept: null, refuse: (error: unknown) => never): void }
  }
  request(options: {
    method: 'get' | 'post'
    url: string
    params?: object
    data?: object
    headers?: Record<string, string>
  }): Promise<{ data: unknown }>
}

const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const Notes = Type.Optional(Type.Unknown())
const Paise = Type.Integer({ minimum: 0 })
const Moment = Type.Integer({ minimum: 0 })

const Link = Type.Object({
  id: Type.String(),
  short_url: Type.String(),
  reference_id: Nullable(Type.String()),
  status: Type.String(),
  amount: Paise,
  currency: Type.String(),
  notes: Notes,
  payments: Type.Optional(
    Nullable(Type.Array(Type.Object({ payment_id: Type.String(), amount: Paise, status: Type.String() }))),
  ),
})
export type Link = Static<typeof Link>

const QrCode = Type.Object({
  id: Type.String(),
  image_url: Type.String(),
  status: Type.String(),
  notes: Notes,
})

const Payment = Type.Object({
  id: Type.String(),
  amount: Paise,
  currency: Type.String(),
  status: Type.String(),
})

const Payout = Type.Object({
  id: Type.String(),
  reference_id: Type.Optional(Nullable(Type.String())),
  status: Type.String(),
  amount: Paise,
  currency: Type.String(),
  created_at: Moment,
  failure_reason: Type.Optional(Nullable(Type.String())),
  status_details: Type.Optional(
    Nullable(Type.Object({ description: Type.Optional(Nullable(Type.String())) })),
  ),
})
export type Payout = Static<typeof Payout>

const Refund = Type.Object({
  id: Type.String(),
  receipt: Type.Optional(Nullable(Type.String())),
  payment_id: Type.String(),
  status: Type.String(),
  amount: Paise,
  currency: Type.String(),
  created_at: Moment,
})
export type Refund = Static<typeof Refund>

const Dispute = Type.Object({
  id: Type.String(),
  payment_id: Type.String(),
  amount: Paise,
  currency: Type.String(),
  amount_deducted: Paise,
  reason_code: Type.Optional(Nullable(Type.String())),
  respond_by: Type.Optional(Nullable(Moment)),
  status: Type.String(),
  phase: Type.Optional(Nullable(Type.String())),
})
export type Dispute = Static<typeof Dispute>

const ListOf = <T extends TSchema>(item: T) => Type.Object({ items: Type.Array(item) })
const Links = Type.Object({ payment_links: Type.Array(Link) })
const Payments = ListOf(Payment)
const Payouts = ListOf(Payout)
const Refunds = ListOf(Refund)
const Disputes = ListOf(Dispute)

interface NewPayout {
  /** The payout's id, as idempotency key and reference. */
  id: string
  accountNumber: string
  amount: number
  vpa: string
  name: string
  narration: string
}

export type RazorpayClient = Awaited<ReturnType<typeof createRazorpayClient>>

/**
 * Razorpay's API by its official client, whose HTTP is bounded here: it has neither timeouts nor limits, cannot send an
 * idempotency key and has no payouts (docs/adr/0054). Every function throws {@link RazorpayError}.
 */
export async function createRazorpayClient(keys: { keyId: string; keySecret: string }, url?: string) {
  // Loaded where a rail uses it: other anchors spare its memory.
  const { default: Client } = await import('razorpay')
  const official = new Client({ key_id: keys.keyId, key_secret: keys.keySecret })
  const http = boundedHttp(official, url)
  const post = (path: string, data: object, headers: Record<string, string>) =>
    asked(http.request({ method: 'post', url: path, data, headers }).then(answer => answer.data))
  const get = (path: string, params: object = {}) =>
    asked(http.request({ method: 'get', url: path, params }).then(answer => answer.data))
  return {
    createLink: async (link: object) => read(Link, await asked(official.paymentLink.create(link as never))),
    getLink: async (id: string) => read(Link, await asked(official.paymentLink.fetch(id))),
    /** Null: there is none with this reference. */
    findLink: async (reference: string): Promise<Link | null> => {
      const { payment_links: links } = read(
        Links,
        await asked(official.paymentLink.all({ reference_id: reference } as never)),
      )
      return links.find(({ reference_id }) => reference_id === reference) ?? null
    },
    createQrCode: async (code: object) => read(QrCode, await asked(official.qrCode.create(code as never))),
    getQrCode: async (id: string) => read(QrCode, await asked(official.qrCode.fetch(id))),
    paymentsOfQrCode: async (id: string) =>
      read(Payments, await asked(official.qrCode.fetchAllPayments(id))).items,
    createPayout: async (payout: NewPayout) =>
      read(Payout, await post('/v1/payouts', payoutBody(payout), { 'X-Payout-Idempotency': payout.id })),
    getPayout: async (id: string) => read(Payout, await get(`/v1/payouts/${encodeURIComponent(id)}`)),
    payoutsOf: async (accountNumber: string, reference: string) => {
      const params = { account_number: accountNumber, reference_id: reference, count: PAGE }
      const { items } = read(Payouts, await get('/v1/payouts', params))
      return items.filter(({ reference_id }) => reference_id === reference)
    },
    /** Payouts since then, newest first, page by page. */
    payoutsSince: (accountNumber: string, since: Date) =>
      pages(since, async page =>
        read(Payouts, await get('/v1/payouts', { account_number: accountNumber, ...page })),
      ),
    /** Refunds since then, of every payment of the account, newest first, page by page. */
    refundsSince: (since: Date) =>
      pages(since, async page => read(Refunds, await asked(official.refunds.all(page)))),
    /** Every dispute of the account, page by page: the API has no filter. */
    allDisputes: () =>
      pages(null, async ({ count, skip }) =>
        read(Disputes, await asked(official.disputes.all({ count, skip }))),
      ),
    getDispute: async (id: string) => read(Dispute, await asked(official.disputes.fetch(id))),
    createRefund: async (paymentId: string, id: string, amount: number) => {
      const path = `/v1/payments/${encodeURIComponent(paymentId)}/refund`
      return read(Refund, await post(path, { amount, receipt: id }, { 'X-Refund-Idempotency': id }))
    },
    getRefund: async (id: string) => read(Refund, await asked(official.refunds.fetch(id))),
    refundsOf: async (paymentId: string) =>
      read(Refunds, await asked(official.payments.fetchMultipleRefund(paymentId, { count: PAGE }))).items,
  }
}

async function* pages<T>(
  since: Date | null,
  readPage: (page: { from: number; count: number; skip: number }) => Promise<{ items: T[] }>,
): AsyncGenerator<T> {
  const from = Math.floor((since?.getTime() ?? 0) / 1000)
  for (let skip = 0; ; skip += PAGE) {
    const { items } = await readPage({ from, count: PAGE, skip })
    yield* items
    if (items.length < PAGE) return
  }
}

const payoutBody = ({ id, accountNumber, amount, vpa, name, narration }: NewPayout) => ({
  account_number: accountNumber,
  fund_account: {
    account_type: 'vpa',
    vpa: { address: vpa },
    contact: { name, type: 'customer' },
  },
  amount,
  currency: 'INR',
  mode: 'UPI',
  purpose: 'payout',
  queue_if_low_balance: true,
  reference_id: id,
  narration,
})

function boundedHttp(official: Razorpay, url: string | undefined): Http {
  const { rq: http } = official.api as unknown as { rq?: Http }
  if (!http?.interceptors) throw new Error('this version of the Razorpay client cannot be bounded')
  Object.assign(http.defaults, {
    timeout: SILENT_MS,
    maxContentLength: MAX_BYTES,
    maxBodyLength: MAX_BYTES,
    maxRedirects: 0,
    // Not as axios does it, which shows a proxy the keys: by a tunnel.
    proxy: false,
    httpsAgent: proxiedAgent(),
    ...(url ? { baseURL: url } : {}),
  })
  http.interceptors.request.use(request => ({ ...request, signal: AbortSignal.timeout(WHOLE_MS) }))
  http.interceptors.response.use(null, error => {
    throw refusalOf(error)
  })
  return http
}

/** Neither the request nor its headers, which have the keys, are kept. */
function refusalOf(error: unknown): AnsweredError {
  const { response, code } = error as { response?: { status: number; data: unknown }; code?: string }
  if (!response) return new AnsweredError(`Razorpay did not answer (${code ?? 'no reason'})`, {})
  const { error: said } = (response.data ?? {}) as { error?: Record<string, unknown> }
  const text = (name: string) => {
    const value = said?.[name]
    return typeof value === 'string' && value !== '' ? value.slice(0, 200) : null
  }
  const message = text('description') ?? `Razorpay answered ${response.status}`
  return new AnsweredError(message, { status: response.status, field: text('field') })
}

async function asked(request: Promise<unknown>): Promise<unknown> {
  try {
    return await request
  } catch (error) {
    if (error instanceof RazorpayError) throw error
    // The official client throws objects.
    const { error: inner } = (error ?? {}) as { error?: unknown }
    throw inner instanceof RazorpayError
      ? inner
      : new RazorpayError('Razorpay did not answer', { cause: error })
  }
}

function read<T extends TSchema>(schema: T, value: unknown): Static<T> {
  if (Value.Check(schema, value)) return value as Static<T>
  throw new RazorpayError('Razorpay gave an answer of another form')
}
