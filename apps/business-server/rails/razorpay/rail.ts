import { railKind } from '@windlass/contracts/platform/anchor-rails.ts'
import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { sameSecret } from '@windlass/service/http/client-address.ts'
import { unavailable } from '@windlass/service/http/problem.ts'
import { ReportError, SignatureError } from '@windlass/service/outbound/webhooks.ts'
import { createHmac } from 'node:crypto'
import type { PaymentPage } from '../../tables.ts'
import { destinationFieldsOf } from '../destination-fields.ts'
import { cents } from '../payment-instructions.ts'
import type {
  DisputeReport,
  Instruction,
  OrderReport,
  PageRequest,
  Rail,
  RailOptions,
  RailReport,
} from '../rail.ts'
import {
  createRazorpayClient,
  type Dispute,
  RazorpayError,
  type Link,
  type Payout,
  type RazorpayClient,
  type Refund,
} from './client.ts'
import { addPage, claimPages, findPage, noteChecked, pagesDueAt } from './pages.ts'

/** Razorpay closes a page no sooner than this. */
const LEAST_OPEN_MS = 16 * 60_000
/** Ours, of the transactions that this server has: others on the same account are not touched. */
const REFERENCE = /^W[0-9A-F]{16}$/
/** What a refusal is about that no repeat changes: the customer's account, or the amount. */
const FINAL_FIELDS = /^(amount|fund_account|vpa|address|contact)/

const paiseOf = (amount: string): number => {
  const units = parseAmount(amount)
  if (units % 100_000n !== 0n) throw new Error(`${amount} is not whole paise`)
  return Number(units / 100_000n)
}
const rupees = (paise: number): string => formatAmount(amountOf(BigInt(paise) * 100_000n))

/**
 * UPI through Razorpay: payment links and QR codes in, RazorpayX payouts out. A webhook only says what to look at; what
 * counts is what the API answers then, so that it does not matter in which order webhooks come, nor how often.
 */
export function createRazorpayRail(options: RailOptions): Rail {
  const { settings, anchor, db, logger, providerUrl } = options
  const { name, credentials } = settings
  const { currency, label } = railKind(name, anchor.anchoredTo)
  const { keyId, keySecret, accountNumber = '' } = credentials
  let client: Promise<RazorpayClient> | null = null
  const api: Api = async () => {
    if (!keyId || !keySecret)
      throw new RazorpayError(`the rail ${name} has no keys of Razorpay for this network`)
    return (client ??= createRazorpayClient({ keyId, keySecret }, providerUrl))
  }
  const payIns = createPayIns(options, api)
  /** One page that Razorpay does not show holds no others up. Throws where Razorpay does not answer at all. */
  const look = async (page: PaymentPage): Promise<RailReport[] | null> => {
    try {
      return await payIns.reportsOf(page.provider_id)
    } catch (error) {
      if (!(error instanceof RazorpayError) || error.status === null) throw error
      logger.warn({ err: error, rail: name, page: page.provider_id }, 'Razorpay does not show a payment page')
      // Without an answer about it, such as while it is overloaded, the page is looked at again after its lease.
      return error.status === 400 || error.status === 404 ? [] : null
    }
  }
  const addressOf = (reference: string) => `${anchor.publicUrl}/interactive/pay/${reference}`
  return {
    name,
    label,
    currency,
    destinationFields: destinationFieldsOf(name),
    instructions: ({ reference, amount }): Instruction[] => [
      { field: 'payment_page', label: 'Payment page', value: addressOf(reference) },
      { field: 'organization.name', label: 'Payee', value: credentials.accountHolder ?? anchor.name },
      ...(amount === null
        ? []
        : [{ field: 'amount', label: 'Amount', value: `${cents(amount)} ${currency}` }]),
      { field: 'reference', label: 'Reference', value: reference },
    ],
    paymentCode: ({ reference }) => ({ text: addressOf(reference), link: addressOf(reference) }),
    paymentPage: request =>
      payIns.pageOf(request).catch((error: unknown) => {
        throw error instanceof RazorpayError ? unavailable('The payment page', error) : error
      }),
    pay: async ({ id, amount, destination }) => {
      const paise = paiseOf(amount)
      const earlier = await (await api()).payoutsOf(accountNumber, id)
      if (earlier.length > 0) return payoutEnd(id, paise, earlier)
      const payout = {
        ...{ id, accountNumber, amount: paise, vpa: destination.dest ?? '' },
        ...{ name: contactName(destination.dest_name), narration: narrationOf(anchor.name) },
      }
      return orRefused(id, async () => payoutEnd(id, paise, [await (await api()).createPayout(payout)]))
    },
    returnPayment: async (id, paymentId, amount) => {
      const made = (await (await api()).refundsOf(paymentId)).filter(({ receipt }) => receipt === id)
      if (made.some(refund => refund.amount !== paiseOf(amount)))
        throw new RazorpayError('a refund with this receipt has another amount')
      if (made.length > 0) return refundsEnd(id, made)
      return orRefused(id, async () =>
        refundEnd(id, await (await api()).createRefund(paymentId, id, paiseOf(amount))),
      )
    },
    readWebhook: async (body, headers) => {
      verify(body, headers['x-razorpay-signature'], settings.webhookSecrets)
      try {
        return await reportsOf(await api(), accountNumber, payIns, entitiesOf(body))
      } catch (error) {
        if (!(error instanceof RazorpayError)) throw error
        if (error.status === 400 || error.status === 404) throw new ReportError(error.message)
        logger.warn({ err: error, rail: name }, 'Razorpay does not answer what a webhook is about')
        throw unavailable('Razorpay', error)
      }
    },
    work: receive => ({
      name: `razorpay ${name}`,
      dueAt: pagesDueAt(name),
      pauseMs: 5_000,
      act: async () => {
        for (const page of await claimPages(db, name)) {
          const reports = await look(page)
          if (!reports) continue
          for (const report of reports) await receive(report)
          await noteChecked(db, page, reports.length > 0)
        }
      },
    }),
    disputes: async function* () {
      for await (const dispute of (await api()).allDisputes()) yield disputeOf(dispute)
    },
    payments: async function* (since) {
      for await (const payout of (await api()).payoutsSince(accountNumber, since)) {
        if (!payout.reference_id) continue
        yield {
          orderId: payout.reference_id,
          paymentId: payout.id,
          amount: rupees(payout.amount),
          currency: payout.currency,
          at: new Date(payout.created_at * 1000),
          report: stateOf(payout.reference_id, payout),
        }
      }
      for await (const refund of (await api()).refundsSince(since)) {
        const orderId = refund.receipt ?? ''
        yield {
          ...{ orderId, paymentId: refund.id, returned: refund.payment_id },
          ...{ amount: rupees(refund.amount), currency: refund.currency },
          at: new Date(refund.created_at * 1000),
          report: refundEnd(orderId, refund),
        }
      }
    },
  }
}

/** Throws where the anchor has no keys. */
type Api = () => Promise<RazorpayClient>

/** Makes Razorpay's pages for deposits, and says what was paid on them. */
function createPayIns({ settings: { name }, anchor, db, clock }: RailOptions, api: Api) {
  const notes = { anchor: anchor.id }
  const isOurs = (given: unknown): boolean => (given as { anchor?: unknown } | null)?.anchor === anchor.id
  const received = (id: string, paise: number, reference: string): RailReport => ({
    ...{ kind: 'received', paymentId: id, reference, amount: rupees(paise), currency: 'INR' },
  })

  async function makeLink(reference: string, amount: string, closes: number): Promise<Link> {
    const only = { upi: '1', card: '0', netbanking: '0', wallet: '0' }
    const link = {
      ...{ amount: paiseOf(amount), currency: 'INR', accept_partial: false, expire_by: closes },
      ...{ reference_id: reference, description: `Deposit ${reference}`, notes, reminder_enable: false },
      ...{ notify: { sms: false, email: false }, options: { checkout: { name: anchor.name, method: only } } },
    }
    try {
      return await (await api()).createLink(link)
    } catch (error) {
      // A reference has one link: another one is refused, also after an answer that was lost.
      if (!(error instanceof RazorpayError) || error.status !== 400) throw error
      const made = await (await api()).findLink(reference)
      if (!made) throw error
      return made
    }
  }

  async function makePage({ reference, amount, expiresAt }: PageRequest): Promise<PaymentPage> {
    const closesAt = new Date(Math.max(expiresAt.getTime(), clock.now().getTime() + LEAST_OPEN_MS))
    const closes = Math.floor(closesAt.getTime() / 1000)
    const row = { rail: name, reference, expires_at: closesAt }
    if (amount !== null) {
      const { id, short_url } = await makeLink(reference, amount, closes)
      return addPage(db, { ...row, provider_id: id, url: short_url })
    }
    const { id, image_url } = await (
      await api()
    ).createQrCode({
      ...{ type: 'upi_qr', usage: 'single_use', fixed_amount: false, close_by: closes },
      ...{ name: anchor.name.slice(0, 40), description: `Deposit ${reference}` },
      notes: { ...notes, reference },
    })
    return addPage(db, { ...row, provider_id: id, url: image_url })
  }

  async function ofLink(id: string): Promise<RailReport[]> {
    const link = await (await api()).getLink(id)
    if (!isOurs(link.notes) || link.currency !== 'INR' || !REFERENCE.test(link.reference_id ?? '')) return []
    return (link.payments ?? [])
      .filter(({ status }) => status === 'captured')
      .map(({ payment_id, amount }) => received(payment_id, amount, link.reference_id ?? ''))
  }

  async function ofQrCode(id: string): Promise<RailReport[]> {
    const code = await (await api()).getQrCode(id)
    const { reference } = (code.notes ?? {}) as { reference?: unknown }
    if (!isOurs(code.notes) || typeof reference !== 'string' || !REFERENCE.test(reference)) return []
    return (await (await api()).paymentsOfQrCode(id))
      .filter(({ status, currency }) => status === 'captured' && currency === 'INR')
      .map(({ id: paymentId, amount }) => received(paymentId, amount, reference))
  }

  return {
    pageOf: async (request: PageRequest): Promise<string> =>
      ((await findPage(db, name, request.reference)) ?? (await makePage(request))).url,
    reportsOf: (id: string): Promise<RailReport[]> => (id.startsWith('qr_') ? ofQrCode(id) : ofLink(id)),
  }
}

function verify(body: Buffer, given: string | string[] | undefined, secrets: readonly string[]): void {
  if (typeof given !== 'string') throw new SignatureError('the webhook is not signed')
  const fits = secrets.some(secret =>
    sameSecret(given.trim().toLowerCase(), createHmac('sha256', secret).update(body).digest('hex')),
  )
  if (!fits) throw new SignatureError('the signature does not match')
}

const kinds = {
  payment_link: 'plink',
  qr_code: 'qr',
  payout: 'pout',
  refund: 'rfnd',
  dispute: 'disp',
} as const
type Kind = keyof typeof kinds

/** What a webhook is about; of other events nothing. */
function entitiesOf(body: Buffer): { kind: Kind; id: string }[] {
  const event = JSON.parse(body.toString('utf8')) as {
    event?: unknown
    payload?: Record<string, { entity?: { id?: unknown } } | null>
  } | null
  if (typeof event?.event !== 'string') throw new ReportError('event is missing')
  const [first = '', second] = event.event.split('.')
  const kind = first === 'payment' && second === 'dispute' ? second : first
  if (!Object.hasOwn(kinds, kind)) return []
  const id = event.payload?.[kind]?.entity?.id
  const known = kind as Kind
  if (typeof id !== 'string' || !new RegExp(`^${kinds[known]}_[A-Za-z0-9]{1,40}$`).test(id))
    throw new ReportError(`the ${known} has no id`)
  return [{ kind: known, id }]
}

async function reportsOf(
  api: RazorpayClient,
  accountNumber: string,
  payIns: ReturnType<typeof createPayIns>,
  entities: readonly { kind: Kind; id: string }[],
): Promise<RailReport[]> {
  const reports: (RailReport | null)[] = []
  for (const { kind, id } of entities) {
    if (kind === 'payment_link' || kind === 'qr_code') reports.push(...(await payIns.reportsOf(id)))
    if (kind === 'payout') {
      const { reference_id: orderId } = await api.getPayout(id)
      // One that failed says nothing where another one of the same order was made.
      if (orderId) reports.push(endOf(orderId, await api.payoutsOf(accountNumber, orderId)))
    }
    if (kind === 'dispute') reports.push({ kind, ...disputeOf(await api.getDispute(id)) })
    if (kind === 'refund') {
      const { receipt, payment_id: paymentId } = await api.getRefund(id)
      if (!receipt) continue
      const ours = (await api.refundsOf(paymentId)).filter(refund => refund.receipt === receipt)
      reports.push(refundsEnd(receipt, ours))
    }
  }
  return reports.filter(report => report !== null)
}

const ENDED: Record<string, DisputeReport['state']> = { won: 'won', lost: 'lost', closed: 'closed' }
/** Each later one is about what was won in the one before. */
const ROUNDS = ['pre_arbitration', 'arbitration']

function disputeOf(dispute: Dispute): DisputeReport {
  const { id, payment_id: paymentId, amount, currency, status, phase, respond_by: until } = dispute
  const taken = status === 'won' ? 0 : dispute.amount_deducted
  // One that is lost is over once it says what was taken.
  const state = status === 'lost' && taken === 0 ? 'open' : (ENDED[status] ?? 'open')
  return {
    ...{ disputeId: id, paymentId, currency, amount: rupees(amount), state },
    round: ROUNDS.indexOf(phase ?? '') + 1,
    // What is won comes back, also where it was taken at the onset.
    deducted: rupees(taken),
    reason: [phase, dispute.reason_code].filter(Boolean).join(', ').slice(0, 200) || 'no reason',
    respondBy: state === 'open' && until ? new Date(until * 1000) : null,
  }
}

/** How a payout ended; null: it has not. */
function stateOf(orderId: string, payout: Payout): OrderReport | null {
  const amount = rupees(payout.amount)
  if (payout.status === 'processed') return { kind: 'paid', orderId, paymentId: payout.id, amount }
  if (!['reversed', 'failed', 'rejected', 'cancelled'].includes(payout.status)) return null
  const reason =
    payout.status_details?.description ?? payout.failure_reason ?? `the payout was ${payout.status}`
  return { kind: 'failed', orderId, reason: reason.slice(0, 300), amount }
}

/** How an order ended, by the payouts with its reference: one that was made counts more than one that failed. */
function payoutEnd(orderId: string, paise: number, payouts: readonly Payout[]): OrderReport | null {
  if (payouts.some(({ amount, currency }) => amount !== paise || currency !== 'INR'))
    throw new RazorpayError('a payout with this reference has another amount')
  return endOf(orderId, payouts)
}

const endOf = (orderId: string, payouts: readonly Payout[]): OrderReport | null =>
  bestOf(payouts.map(payout => stateOf(orderId, payout)))

const refundsEnd = (orderId: string, refunds: readonly Refund[]): OrderReport | null =>
  bestOf(refunds.map(refund => refundEnd(orderId, refund)))

/** One that was made counts, then one that may still be. */
function bestOf(ends: readonly (OrderReport | null)[]): OrderReport | null {
  return ends.find(end => end?.kind === 'paid') ?? (ends.includes(null) ? null : (ends[0] ?? null))
}

function refundEnd(
  orderId: string,
  { id, status, amount: paise, payment_id: returned }: Refund,
): OrderReport | null {
  const about = { orderId, amount: rupees(paise), returned }
  if (status === 'processed') return { kind: 'paid', paymentId: id, ...about }
  return status === 'failed'
    ? { kind: 'failed', reason: 'Razorpay could not refund the payment', ...about }
    : null
}

/** A refusal that no repeat changes ends the order; everything else is tried again with the same key. */
async function orRefused(
  orderId: string,
  act: () => Promise<OrderReport | null>,
): Promise<OrderReport | null> {
  try {
    return await act()
  } catch (error) {
    const isFinal =
      error instanceof RazorpayError && error.status === 400 && FINAL_FIELDS.test(error.field ?? '')
    if (!isFinal) throw error
    return { kind: 'failed', orderId, reason: error.message }
  }
}

/** 3 to 50 characters of those that Razorpay accepts. */
function contactName(name: string | undefined): string {
  const clean = (name ?? '').replaceAll(/[^A-Za-z0-9 '_/().,-]/g, '').slice(0, 50)
  // oxlint-disable-next-line linear-patterns/by-any-text -- 50 characters
  const trimmed = clean.replaceAll(/^[^A-Za-z0-9]+|[^A-Za-z0-9.]+$/g, '')
  return trimmed.length >= 3 ? trimmed : 'Customer'
}

/** At most 30 letters, digits and spaces. */
const narrationOf = (name: string): string =>
  `${name
    .replaceAll(/[^A-Za-z0-9 ]/g, '')
    .slice(0, 23)
    .trim()} payout`.trim()
