import type { ErasureAnswer } from '@windlass/contracts/anchor/retention.ts'
import type {
  CustomerAnswer,
  PlatformEvent,
  PlatformTransaction,
  RateAnswer,
  RateRequest,
} from '@windlass/contracts/anchor/anchor-platform.ts'
import type { PublicTerms } from '@windlass/contracts/anchor/anchor-settings.ts'
import { CLIENT_ADDRESS_HEADER, SEP_RUN_HEADER } from '@windlass/contracts/anchor/anchor-platform.ts'
import { Problem, unavailable } from '@windlass/service/http/problem.ts'
import { fetchPart } from '@windlass/service/outbound/fetch-part.ts'
import { badRequest } from '../errors.ts'
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'

/** What the bank of a simulated rail reports. */
interface SandboxPayment {
  rail: string
  reference: string
  amount: string
  currency: string
}

export interface CustomerKey {
  id?: string
  account?: string
  memo?: string
  memo_type?: string
  type?: string
  lang?: string
  transaction_id?: string
  /** Without a type, the one for which a sending anchor described the customer. */
  or_described?: 'true'
}

/** The Callback API of the business server. Its 4xx answers are passed on to the wallet; no answer is a 503. */
export interface BusinessServer {
  getCustomer(key: CustomerKey): Promise<CustomerAnswer>
  /** `clientAddress`: whose request it is, for limits. */
  putCustomer(fields: CustomerKey & Record<string, unknown>, clientAddress?: string): Promise<{ id: string }>
  /** Passes a file on as it comes; a change of a customer names it by `id`. `name` is that of its field. */
  putFile(
    file: { id: string; name: string },
    bytes: AsyncIterable<Buffer>,
  ): Promise<{ mediaType: string; size: number }>
  /** Deletes a file that waits; one that a customer has stays. */
  deleteFile(id: string): Promise<void>
  /** What is kept and until when. */
  deleteCustomer(id: string): Promise<ErasureAnswer>
  /** The operator's settings as they are now. */
  terms(): Promise<PublicTerms>
  rate(request: RateRequest): Promise<RateAnswer['rate']>
  /** Begins a direct payment; null while it waits for its customers. May be asked again. */
  startDirectPayment(transaction: PlatformTransaction): Promise<{ account: string; memo: string } | null>
  /** Has a simulated rail report the payment of a deposit. */
  payDeposit(id: string, payment: { amount?: string; slow?: boolean }): Promise<SandboxPayment>
  event(event: PlatformEvent): Promise<void>
}

const TIMEOUT_MS = 10_000
/** As long as a wallet may take to send it, and until it is scanned. */
const UPLOAD_MS = 60_000
/** Known settings are better than waiting for new ones. */
const TERMS_MS = 2_000

export function createBusinessServer(baseUrl: string, linkSecret: string): BusinessServer {
  const run = randomUUID()
  const ask = async (
    method: string,
    path: string,
    body?: unknown,
    clientAddress?: string,
    timeoutMs = TIMEOUT_MS,
  ): Promise<unknown> => {
    const bytes = isBytes(body) ? body : null
    const { status, text } = await fetchPart(baseUrl + path, {
      method,
      headers: {
        'x-api-key': linkSecret,
        [SEP_RUN_HEADER]: run,
        accept: 'application/json',
        ...(clientAddress === undefined ? {} : { [CLIENT_ADDRESS_HEADER]: clientAddress }),
        ...(body === undefined
          ? {}
          : { 'content-type': bytes ? 'application/octet-stream' : 'application/json' }),
      },
      signal: AbortSignal.timeout(timeoutMs),
      ...(bytes
        ? { body: Readable.toWeb(Readable.from(bytes)) as ReadableStream, duplex: 'half' as const }
        : {}),
      ...(bytes || body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((cause: unknown) => {
      throw refusalOf(cause) ?? unavailable('The anchor', cause)
    })
    if (status >= 200 && status < 300) return text === '' ? null : JSON.parse(text)
    throw problemOf(status, text)
  }
  return {
    getCustomer: async key => (await ask('GET', `/customer?${query(key)}`)) as CustomerAnswer,
    putCustomer: async (fields, clientAddress) =>
      (await ask('PUT', '/customer', fields, clientAddress)) as { id: string },
    putFile: async ({ id, name }, bytes) =>
      (await ask('PUT', `/customer/files/${id}?${query({ name })}`, bytes, undefined, UPLOAD_MS)) as {
        mediaType: string
        size: number
      },
    deleteFile: async id => void (await ask('DELETE', `/customer/files/${id}`)),
    deleteCustomer: async id =>
      // An anchor of an earlier release answers nothing.
      ((await ask('DELETE', `/customer/${encodeURIComponent(id)}`)) ?? {
        ...{ id, kept: [], until: null },
      }) as ErasureAnswer,
    terms: async () => (await ask('GET', '/terms', undefined, undefined, TERMS_MS)) as PublicTerms,
    rate: async request => ((await ask('GET', `/rate?${query(request)}`)) as RateAnswer).rate,
    startDirectPayment: async transaction =>
      (await ask('POST', '/direct-payments', transaction)) as { account: string; memo: string } | null,
    payDeposit: async (id, payment) =>
      (await ask('POST', `/sandbox/deposits/${encodeURIComponent(id)}/payment`, payment)) as SandboxPayment,
    event: async event => void (await ask('POST', '/event', event)),
  }
}

const isBytes = (body: unknown): body is AsyncIterable<Buffer> =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body

/** The wallet's file was refused while it was passed on. */
function refusalOf(error: unknown): Problem | null {
  if (error instanceof Problem) return error
  return error instanceof Error && error.cause ? refusalOf(error.cause) : null
}

function query(values: object): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== null)
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
}

function problemOf(status: number, text: string): Problem {
  const { code, message } = readError(text)
  if (status === 404) return new Problem('not-found', message)
  if (code === 'unsupported-pair') return new Problem(code, message)
  if (status >= 400 && status < 500 && status !== 401) return badRequest(message)
  return unavailable('The anchor', new Error(`the business server answered ${status}: ${message}`))
}

function readError(text: string): { code: unknown; message: string } {
  try {
    const { error, detail, code } = JSON.parse(text) as Record<'error' | 'detail' | 'code', unknown>
    return { code, message: String(error ?? detail ?? 'badRequest').slice(0, 300) }
  } catch {
    return { code: null, message: 'badRequest' }
  }
}
