import type { KeyAct } from '@windlass/contracts/platform/api-keys.ts'
import { canMoveMoney } from '@windlass/contracts/realm.ts'
import { ProblemError } from '@windlass/client/client.ts'
import type { RefusedAnchorMessage } from '@windlass/contracts/anchor/refused-anchor-messages.ts'
import { enqueue } from '@windlass/service/work/outbox.ts'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { deliverSepCalls } from '../../outgoing/sep-calls/sep-calls.ts'
import { startReportingDecisions } from '../../people/customers/report-decisions.ts'
import { evaluateConditions } from '../notifications/conditions.ts'
import { BankAnchor, camt053 } from '../../testing/bank-anchor.ts'
import { matchLines } from '../../bank-files/match.ts'
import { auditedActs } from './acts.ts'
import { reportKeyActs } from './report.ts'

let anchor: BankAnchor
let told: KeyAct[] = []
let down = false
beforeAll(async () => {
  anchor = await BankAnchor.start()
  anchor.deps.keyActs.report = async acts => {
    if (down) throw new Error('the platform is down')
    told.push(...acts)
  }
})
afterAll(() => anchor.close())
beforeEach(() => {
  told = []
})

const as = (key: string, method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, payload?: object | string) =>
  anchor.app.server.app.inject({
    method,
    url: `/api/v1${url}`,
    headers: {
      authorization: `Bearer ${key}`,
      ...(typeof payload === 'string' ? { 'content-type': 'application/octet-stream' } : {}),
    },
    ...(payload === undefined ? {} : { payload }),
  })
const upload = (key: string, text: string) => as(key, 'POST', '/rails/SEPA/statements?fileName=x.xml', text)
const forged = () => camt053([{ amount: '5000.00', text: 'A stranger', bankReference: 'FORGED1' }])
const inReview = () => anchor.rows<{ id: string }>("select id from bank_lines where state = 'review'")
const report = () => reportKeyActs(anchor.deps)
const notified = async () => {
  const { conditions } = await evaluateConditions(anchor.deps, { conditions: [], differences: new Map() })
  return conditions.filter(({ subject }) => subject === 'refused-messages')
}

it('a leaked key of the default scopes neither forges a statement nor decides to send its money away', async () => {
  expect((await upload('default', forged())).statusCode).toBe(403)
  expect(await anchor.rows('select from bank_statements')).toEqual([])
  await upload('bank', forged())
  await matchLines(anchor.deps)
  const [line] = await inReview()
  const decision = { decision: 'return', reason: 'x' }
  expect((await as('default', 'POST', `/statement-lines/${line?.id}/decide`, decision)).statusCode).toBe(403)
  for (const key of auditedActs.keys()) {
    if (!canMoveMoney(key.scopes ?? [])) continue
    const url = key.path.replace('/api/v1', '').replaceAll(/:\w+/g, 'x')
    const answer = await as('default', key.method as 'POST', url, key.raw ? 'x' : {})
    expect([key.path, answer.statusCode, answer.json().code]).toEqual([key.path, 403, 'forbidden'])
  }
  expect(await anchor.rows("select from rail_orders where kind = 'return'")).toEqual([])
})

it('the platform hears what a key does, in the words that it has for a person who does it', async () => {
  await report()
  expect(told.map(({ action }) => action)).toEqual(['bank-statement.uploaded'])
  expect(told[0]?.details).toMatchObject({ rail: 'SEPA', fileName: 'x.xml', lines: 1, newLines: 1 })
  const columns = {
    ...{ delimiter: ',', skipLines: 0, encoding: 'utf-8', decimal: '.', date: 'Date', amount: 'Amount' },
    ...{ dateFormat: 'year-month-day', text: ['Text'] },
  }
  await as('bank', 'PUT', '/rails/SEPA/csv-columns', columns)
  await report()
  expect(told.slice(1)).toMatchObject([
    { keyId: 'k1', action: 'csv-columns.changed', outcome: 'done', details: { rail: 'SEPA', ...columns } },
  ])
  // Refused: it needs two people, and changed nothing.
  const [line] = await inReview()
  const decision = { decision: 'return', reason: 'Nobody knows them.' }
  expect((await as('bank', 'POST', `/statement-lines/${line?.id}/decide`, decision)).statusCode).toBe(409)
  await report()
  expect(told).toHaveLength(2)
})

it('the platform also learns of an act that a server began and never ended, again until it has it', async () => {
  const { faults, clock } = anchor.deps
  const body = { url: 'https://hooks.example/secret-path', events: ['*'] }
  anchor.deps.faults = {
    at: point => {
      if (point === 'key-act:begun') throw new Error('the process died')
    },
  }
  expect((await as('bank', 'POST', '/webhook-endpoints', body)).statusCode).toBe(500)
  anchor.deps.faults = faults
  await report()
  expect(told).toEqual([])
  const later = (ms: number) => ({ ...clock, now: () => new Date(Date.now() + ms) })
  anchor.deps.clock = later(301_000)
  down = true
  await expect(report()).rejects.toThrow('down')
  down = false
  anchor.deps.clock = later(332_000)
  await report()
  anchor.deps.clock = clock
  expect(told).toMatchObject([
    {
      action: 'webhook-endpoint.added',
      outcome: 'unknown',
      details: { host: 'hooks.example', events: ['*'] },
    },
  ])
  expect(JSON.stringify(told)).not.toContain('secret-path')
})

it('an act that the platform does not take keeps none of the others from being told, and is tried again', async () => {
  await report()
  told = []
  const { clock, keyActs } = anchor.deps
  const tell = keyActs.report
  const body = (name: string) => ({ url: `https://${name}.example/x`, events: ['*'] })
  for (const name of ['one', 'poison', 'two']) await as('bank', 'POST', '/webhook-endpoints', body(name))
  let refuses = true
  keyActs.report = async acts => {
    if (refuses && JSON.stringify(acts).includes('poison'))
      throw Object.assign(new Error('400'), { status: 400, problem: { code: 'validation-failed' } })
    await tell(acts)
  }
  await report()
  expect(told.map(({ details }) => details.host)).toEqual(['one.example', 'two.example'])
  const metrics = await anchor.app.server.app.inject('/metrics')
  expect(metrics.body).toMatch(
    /windlass_refused_messages\{topic="key-acts",code="validation-failed"[^}]*\} 1/,
  )
  const seen = (await as('any', 'GET', '/refused-messages')).json<RefusedAnchorMessage[]>()
  expect(seen).toMatchObject([
    { topic: 'key-acts', what: 'webhook-endpoint.added', keyId: 'k1', code: 'validation-failed' },
  ])
  expect([typeof seen[0]?.nextAt, JSON.stringify(seen).includes('poison')]).toEqual(['string', false])
  expect(await notified()).toHaveLength(1)
  refuses = false
  anchor.deps.clock = { ...clock, now: () => new Date(Date.now() + 601_000) }
  await report()
  anchor.deps.clock = clock
  expect(told.map(({ details }) => details.host)).toContain('poison.example')
  keyActs.report = tell
  expect((await as('any', 'GET', '/refused-messages')).json()).toEqual([])
  expect(await notified()).toEqual([])
})

it('founders see the call that the SEP server refused, which is not sent again, and the movement that the platform refused', async () => {
  const { deps } = anchor
  const { id } = await anchor.deposit()
  deps.sepServer.send = async calls =>
    calls.map(({ id }, index) =>
      index === 0
        ? { jsonrpc: '2.0' as const, id, error: { code: -32_602, message: 'the transaction is completed' } }
        : { jsonrpc: '2.0' as const, id, result: {} },
    )
  await deliverSepCalls(deps)
  const sent = vi.spyOn(deps.sepServer, 'send')
  await deliverSepCalls(deps)
  expect(sent).not.toHaveBeenCalled()
  const moved = { direction: 'deposit' as const, currency: 'EUR', amount: '5', at: new Date().toISOString() }
  await enqueue(deps.database.db, 'movements', id, { customerId: 'cus_1', reference: id, ...moved })
  deps.customerRegistry.reportMovement = async () => {
    const refused = {
      type: 'x',
      title: 'x',
      detail: 'no',
      code: 'validation-failed',
      requestId: 'r',
    } as const
    throw new ProblemError(400, { ...refused, status: 400 }, new Response())
  }
  await anchor.rows("update outbox set attempts = 20 where topic = 'movements'")
  const reports = startReportingDecisions(deps)
  await reports.drain()
  await reports.stop()
  const seen = (await as('any', 'GET', '/refused-messages')).json<RefusedAnchorMessage[]>()
  expect(seen.filter(({ topic }) => topic === 'sep-calls')).toMatchObject([
    { transactionId: id, code: 'refused', detail: 'the transaction is completed', nextAt: null },
  ])
  expect(seen.filter(({ topic }) => topic === 'movements')).toMatchObject([
    { transactionId: id, code: 'validation-failed', nextAt: expect.any(String) },
  ])
  expect(await notified()).toHaveLength(1)
})
