import { defaultScopes } from '@windlass/contracts/realm.ts'
import type { Case } from '@windlass/contracts/anchor/cases.ts'
import type { ScreeningHit } from '@windlass/contracts/anchor/compliance.ts'
import { endpointsOf } from '@windlass/testing/walk.ts'
import fc from 'fast-check'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { payQueued } from '../../payments/pay.ts'
import { asPlatform } from '../../testing/as-platform.ts'
import { BankAnchor, camt053 } from '../../testing/bank-anchor.ts'
import { euXml } from '../../testing/sanctions-lists.ts'
import { compareNames } from './compare-names.ts'

/*
 * Nobody but those who decide may know of a suspicion: not the customer, not a key, not a member of the team. What they are
 * answered is the same before and after a hit, and after each thing that is done about it.
 */

const LISTED = 'Qadir Testov'
const IBAN = 'DE02120300000000202051'
const OPERATOR = 'operator:asha'

let bank: BankAnchor
let reads: { path: string }[] = []
beforeAll(async () => {
  bank = await BankAnchor.start()
  reads = (await endpointsOf(bank.app.server.app)).filter(
    ({ realm, method, scopes = [], file }) =>
      realm === 'developer' &&
      method === 'GET' &&
      !file &&
      scopes.some(scope => (defaultScopes as readonly string[]).includes(scope)),
  )
  await bank.app.server.app.inject({
    method: 'POST',
    url: `/admin/sanctions-lists?${new URLSearchParams({ fileName: 'list.xml', by: OPERATOR })}`,
    headers: { ...asPlatform(bank.deps.config.secrets), 'content-type': 'application/octet-stream' },
    payload: euXml([{ id: 1, name: LISTED }]),
  })
})
afterAll(() => bank.close())

/** What a key with the scopes of most keys is answered, and what customers and wallets have heard. */
async function answers(transactionId: string): Promise<Record<string, unknown>> {
  const customer = (await bank.rows<{ id: string }>('select id from customers limit 1'))[0]?.id ?? 'none'
  const line = (await bank.rows<{ id: string }>('select id from bank_lines order by id desc limit 1'))[0]?.id
  const all: Record<string, unknown> = {}
  for (const { path } of reads) {
    const id = path.includes('/customers/')
      ? customer
      : path.includes('-lines')
        ? String(line)
        : transactionId
    const url = path.replaceAll(/:(\w+)/g, (_, name: string) => (name === 'rail' ? 'SEPA' : id))
    const headers = { authorization: 'Bearer default' }
    const answer = await bank.app.server.app.inject({ url: `${url}?from=2026-11-01&to=2026-11-20`, headers })
    all[path] = [answer.statusCode, answer.body.replaceAll(/"(asOf|at|checkedAt|requestId)":"[^"]*"/g, '')]
  }
  for (const table of ['platform_calls', 'webhook_deliveries', 'transfers', 'transfer_steps'])
    all[table] = await bank.rows(`select to_jsonb(t) as row from ${table} t order by to_jsonb(t)::text`)
  return all
}

interface Suspect {
  /** Makes a transaction whose money is about to leave, and the hit that holds it. */
  begin(): Promise<string>
  hold(id: string): Promise<void>
}

const pays = async (name: string): Promise<string> => {
  const { id, reference, money } = await bank.deposit()
  const line = { amount: money, text: reference, name, account: IBAN, bankReference: randomUUID() }
  await bank.read('SEPA', `${id}.xml`, camt053([line]))
  return id
}
const payAll = async () => {
  await bank.rows("update ledger_payments set next_try_at = now() where state = 'queued'")
  await payQueued(bank.deps)
}
const suspects: Record<string, Suspect> = {
  payer: { begin: () => pays(LISTED), hold: payAll },
  rule: {
    begin: () => pays('Asha Rao'),
    hold: async () => {
      const rules = [{ kind: 'customer-sum', hours: 24, count: null, amount: '1' }]
      const version = (await bank.rows('select from velocity_rules')).length
      await bank.asOperator('PUT', '/velocity-rules', { rules, version, by: OPERATOR })
      await payAll()
      await bank.asOperator('PUT', '/velocity-rules', { rules: [], version: version + 1, by: OPERATOR })
    },
  },
}

const waiting = async (id: string) => {
  const hits = (await bank.get('/screening-hits?status=waiting')).json<ScreeningHit[]>()
  return hits.find(hit => hit.subject.id === id || hit.transactions.includes(id))
}

const acts = {
  compare: () => compareNames(bank.deps),
  retry: payAll,
  confirm: async (hit: ScreeningHit) => {
    await bank.asOperator('POST', `/screening-hits/${hit.id}/decision`, {
      ...{ decision: 'confirm', reason: 'STR filed', evidence: 'STR 1', by: OPERATOR },
    })
  },
  export: (hit: ScreeningHit) => bank.get(`/screening-hits/${hit.id}/case`),
  note: (hit: ScreeningHit) =>
    bank.asOperator('POST', '/cases', {
      ...{ subject: { kind: 'transaction', id: hit.subject.id }, reason: 'STR filed', by: OPERATOR },
    }),
  plan: async (hit: ScreeningHit) => {
    const of = (await bank.get('/cases')).json<Case[]>().find(({ subject }) => subject.id === hit.subject.id)
    const plan = { assignedTo: OPERATOR, dueOn: '2026-12-24', by: OPERATOR }
    expect((await bank.asOperator('PUT', `/cases/${of?.id}/plan`, plan)).statusCode).toBe(200)
  },
}
type Act = keyof typeof acts

it('nothing that a key, a customer or a wallet hears changes with a hit or what is done about it', async () => {
  expect(reads.length).toBeGreaterThan(15)
  const anyActs = fc.array(fc.constantFrom(...(Object.keys(acts) as Act[])), { maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.keys(suspects)), anyActs, async (kind, steps) => {
      const suspect = suspects[kind]
      if (!suspect) throw new Error(kind)
      const id = await suspect.begin()
      const before = await answers(id)
      expect(before['/api/v1/transactions/:id']).toMatchObject([200, expect.stringContaining('"funded"')])
      await suspect.hold(id)
      const hit = await waiting(id)
      if (!hit) throw new Error('nothing holds it')
      expect(await answers(id)).toEqual(before)
      for (const step of steps) {
        await acts[step](hit)
        expect([step, await answers(id)]).toEqual([step, before])
      }
    }),
    { numRuns: 5 },
  )
}, 240_000)

it('hits are for keys that a person gave the scope for them by name', async () => {
  const id = await pays(LISTED)
  await payAll()
  const hit = await waiting(id)
  const get = (path: string) =>
    bank.app.server.app.inject({ url: `/api/v1${path}`, headers: { authorization: 'Bearer default' } })
  for (const path of [
    '/screening',
    '/screening-hits',
    `/screening-hits/${hit?.id}/case`,
    '/velocity-rules',
    `/transactions/${id}/travel-rule`,
    '/cases',
    `/cases/${randomUUID()}`,
  ])
    expect([path, (await get(path)).json()]).toEqual([
      path,
      expect.objectContaining({ code: 'forbidden', detail: 'The key lacks the scope compliance.' }),
    ])
})
