import type { Clock } from '@windlass/service/work/clock.ts'
import { createOutage } from '@windlass/service/observe/outage.ts'
import type { FastifyBaseLogger } from 'fastify'
import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import type { KycProvider } from '../provider.ts'
import { parseDocument, readReport } from '../read-report.ts'
import { signWebhook } from '@windlass/service/outbound/webhooks.ts'
import { findSession, type MockSession, noteDelivery, openSession, takeDue } from './sessions.ts'

export interface MockOptions {
  /** Holds `mock_kyc_sessions` (migrations of this package). */
  pool: pg.Pool
  /** Where the hosted page is: `http://mumbai.anchors.localhost/kyc/mock`; the session's id follows. */
  pageUrl: string
}

/** A provider that is played here, for test networks: everyone is approved within seconds unless the page says otherwise. */
export function createMockProvider({ pool, pageUrl }: MockOptions): KycProvider {
  return {
    name: 'mock',
    start: async request => {
      const sessionId = await openSession(pool, request)
      return { sessionId, url: `${pageUrl}/${sessionId}` }
    },
    read: body => readReport(parseDocument(body)),
    confirm: async sessionId => {
      const session = await findSession(pool, sessionId)
      if (!session) return null
      const { customer_id: customerId, full_name: verifiedName } = session
      if (session.forged || !session.completed_at)
        return { customerId, status: 'PROCESSING', verifiedName: null, identity: null }
      const status = session.verdict === 'APPROVED' ? 'ACCEPTED' : 'REJECTED'
      return { customerId, status, verifiedName, identity: null }
    },
  }
}

interface MockDeliveries {
  pool: pg.Pool
  /** The receiver's webhook endpoint. */
  webhookUrl: string
  secret: string
  clock: Clock
  logger: FastifyBaseLogger
}

/** Sends the signed reports of sessions that are due, again and again until they are taken. */
export function startMockDeliveries(options: MockDeliveries): { stop(): Promise<void> } {
  const outage = createOutage(options.logger, 'mock verification failed')
  let running: Promise<void> | null = null
  const round = async (): Promise<void> => {
    const due = await takeDue(options.pool)
    await Promise.all(due.map(session => deliver(options, session)))
  }
  const timer = setInterval(() => {
    running ??= round()
      .then(outage.over, outage.met)
      .finally(() => (running = null))
  }, 500)
  return {
    stop: async () => {
      clearInterval(timer)
      await running
    },
  }
}

async function deliver(options: MockDeliveries, session: MockSession): Promise<void> {
  const body = reportOf(session)
  const secret = session.forged ? randomBytes(32).toString('base64url') : options.secret
  const signature = signWebhook(secret, `msg_${session.id}`, body, options.clock.now())
  const response = await fetch(options.webhookUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signature },
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(5_000),
  }).catch(() => null)
  await response?.body?.cancel()
  await noteDelivery(options.pool, session.id, response?.status ?? 0)
}

function reportOf({ id, verdict, customer_id, completed_at }: MockSession): string {
  const data = { sessionId: id, status: verdict, customerId: customer_id, completedAt: completed_at }
  return JSON.stringify({ event: 'session.completed', data })
}
