import { Networks, Transaction } from '@stellar/stellar-sdk/base'
import { reportKeyActs, verifyApiKey } from '@windlass/contracts/platform/api-keys.ts'
import * as internal from '@windlass/contracts/internal/internal.ts'
import type { KycStatus } from '@windlass/contracts/platform/kyc.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { parseDocument, readReport } from '@windlass/kyc-providers/read-report.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { createServer, type Server } from '@windlass/service/http/server.ts'
import {
  ReportError,
  SignatureError,
  signWebhook,
  verifyWebhook,
} from '@windlass/service/outbound/webhooks.ts'
import { randomUUID } from 'node:crypto'

/** The platform's customer registry as an anchor meets it, in memory. */
export interface FakePlatform {
  server: Server
  url: string
  /** Where the provider's approvals are sent, which follow each session. */
  webhookUrl: string
  customers: Map<string, { status: KycStatus; wallets: Set<string>; verifiedName?: string }>
  /** Logins (SEP-10 challenges) that anchors sent as proof of a wallet. */
  logins: { customerId: string; transaction: string }[]
  /** Every verified webhook that anchors passed on. */
  reports: unknown[]
  keys: Map<string, { anchorId: string; scopes: ('read' | 'write' | 'webhooks')[] }>
  /** Sends the code to the address, where it is to be read. */
  onCode?: (email: string) => Promise<void>
  /** Accounts that signed in while `holds` is true wait in here for their customer. */
  waiting: Map<string, Set<string>>
  holds: boolean
  /** Answers 503 to everything while true. */
  down: boolean
}

const APPROVES_AFTER_MS = 1_000

/** The code that it "mails". */
export const MAILED_CODE = '424242'

export async function startFakePlatform(serviceSecret: string, webhookSecret: string): Promise<FakePlatform> {
  const server = await createServer({
    name: 'platform',
    logger: createLogger('platform', 'silent'),
    documents: false,
    guards: {
      internal: request => {
        if (request.headers['x-service-secret'] !== serviceSecret) {
          throw new Problem('unauthenticated', 'No.')
        }
        return { kind: 'anchor', anchorId: 'a' }
      },
    },
  })
  const customers: FakePlatform['customers'] = new Map()
  const platform: FakePlatform = {
    server,
    url: '',
    webhookUrl: '',
    customers,
    logins: [],
    reports: [],
    keys: new Map(),
    waiting: new Map(),
    holds: false,
    down: false,
  }
  server.app.addHook('onRequest', async () => {
    if (platform.down) throw new Problem('dependency-unavailable', 'Down.')
  })
  const unknown = () => new Problem('customer-not-found', 'Unknown.')
  server.on(internal.queryKyc).serve(({ query }) => {
    const { walletAddress, memo } = query
    const found = [...customers].find(([, { wallets }]) => wallets.has(keyOf(walletAddress, memo)))
    if (!found) throw unknown()
    const [customerId, { status, verifiedName = null }] = found
    return { customerId, status, verified: status === 'ACCEPTED', walletVerified: true, verifiedName }
  })
  server.on(internal.queryCustomerKyc).serve(({ params: { id } }) => {
    const customer = customers.get(id)
    if (!customer) throw unknown()
    return { customerId: id, status: customer.status, verified: customer.status === 'ACCEPTED' }
  })
  server.on(reportKeyActs).serve(() => ({ ok: true }))
  server.on(verifyApiKey).serve(({ body }) => {
    const key = platform.keys.get(body.key)
    if (!key) throw new Problem('unauthenticated', 'No such key.')
    return { keyId: 'key_1', expiresAt: null, ...key }
  })
  server.on(internal.requestCodeAtAnchor).serve(async ({ body: { email } }) => {
    await platform.onCode?.(email)
    return { ok: true }
  })
  server.on(internal.signInAtAnchor).serve(({ body: { email, code, account, memo, login } }) => {
    if (code !== MAILED_CODE) throw new Problem('code-not-accepted', 'Wrong code.')
    const customerId = `cus_${email}`
    const customer = customers.get(customerId) ?? { status: 'NEEDS_INFO', wallets: new Set() }
    customers.set(customerId, customer)
    if (login) platform.logins.push({ customerId, transaction: login })
    const wallet = login ? accountOf(login) : account && keyOf(account, memo)
    if (wallet && platform.holds) {
      platform.waiting.set(wallet, customer.wallets)
      throw new Problem('wallet-confirmation-needed', 'It waits.')
    }
    if (wallet) customer.wallets.add(wallet)
    return { customerId }
  })
  const sessions = new Map<string, { customerId: string; returnUrl: string }>()
  server.on(internal.startKycSession).serve(({ body: { customerId, returnUrl = '' } }) => {
    if (!customers.has(customerId)) throw unknown()
    const sessionId = randomUUID()
    sessions.set(sessionId, { customerId, returnUrl })
    setTimeout(() => void approve(sessionId, customerId), APPROVES_AFTER_MS)
    return { sessionId, url: `${platform.url}/kyc/mock/${sessionId}` }
  })
  server.app.get<{ Params: { id: string } }>('/kyc/mock/:id', ({ params: { id } }, reply) =>
    reply
      .type('text/html')
      .send(`<h1>Test identity check</h1><a href="/kyc/mock/${id}/approve">Approve now</a>`),
  )
  server.app.get<{ Params: { id: string } }>('/kyc/mock/:id/approve', async ({ params: { id } }, reply) => {
    const session = sessions.get(id)
    if (!session) return reply.callNotFound()
    await approve(id, session.customerId)
    return reply.type('text/html').send(`<a href="${session.returnUrl}">Return</a>`)
  })
  server.on(internal.passKycReport).serve(({ body }) => {
    const raw = Buffer.from(body.body, 'base64')
    verify(raw, body.headers, webhookSecret)
    const report = read(raw)
    const customer = customers.get(report.customerId)
    if (!customer) throw unknown()
    platform.reports.push({ ...report, provider: 'mock', evidence: body })
    customer.status = report.status
    const { identity: _, ...said } = report
    return { ...said, provider: 'mock', completedAt: report.completedAt.toISOString() }
  })
  const approve = async (sessionId: string, customerId: string): Promise<void> => {
    if (!platform.webhookUrl) return
    const data = { sessionId, customerId, status: 'APPROVED', completedAt: new Date().toISOString() }
    const body = JSON.stringify({ event: 'session.completed', data })
    const headers = signWebhook(webhookSecret, randomUUID(), body, new Date())
    await fetch(platform.webhookUrl, { method: 'POST', headers, body }).catch(() => undefined)
  }
  platform.url = `http://localhost:${await server.listen(0)}`
  return platform
}

/** The login of a wallet's entry; with a memo it is an account that several people share. */
const keyOf = (account: string, memo: string | undefined) =>
  memo === undefined ? account : `${account} ${memo}`

const accountOf = (transaction: string) =>
  new Transaction(transaction, Networks.TESTNET).operations[0]?.source ?? ''

function verify(raw: Buffer, headers: Record<string, string>, secret: string): void {
  try {
    verifyWebhook(raw, headers, [secret], new Date())
  } catch (error) {
    if (error instanceof SignatureError) throw new Problem('webhook-signature-invalid', error.message)
    throw error
  }
}

function read(raw: Buffer): ReturnType<typeof readReport> {
  try {
    return readReport(parseDocument(raw))
  } catch (error) {
    if (error instanceof ReportError) throw new Problem('validation-failed', error.message)
    throw error
  }
}
