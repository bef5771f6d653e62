import { defaultScopes } from '@windlass/contracts/realm.ts'
import type { Case } from '@windlass/contracts/anchor/cases.ts'
import type { ScreeningHit } from '@windlass/contracts/anchor/compliance.ts'
import { endpointsOf } from '@windlass/testing/walk.ts'
import { signWebhook } from '@windlass/service/outbound/webhooks.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import type { UnreliableNetwork } from '@windlass/stellar/testing/unreliable-network.ts'
import fc from 'fast-check'
import { randomInt, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { payQueued } from '../../payments/pay.ts'
import { asPlatform } from '../../testing/as-platform.ts'
import { BankAnchor, camt053 } from '../../testing/bank-anchor.ts'
import { euXml } from '../../testing/sanctions-lists.ts'
import { receiveUnits } from '../../testing/receive-units.ts'
import { acceptTransaction } from '../../transfers/accept.ts'
import { confirm } from '../../transfers/confirm.ts'
import { changeCustomer, ensureCustomer } from '../customers/customers.ts'
import { compareNames } from './compare-names.ts'

/*
 * Nobody but those who decide may know of a suspicion: not the customer, not a key, not a member of the team. What they are
 * answered is the same before and after a hit, and after each thing that is done about it.
 */

const LISTED = 'Qadir Testov'
/** Who is put on the list after they paid. */
let later = ''
/** What was confirmed of one transaction counts for others of the account. */
const newIban = (): string => {
  const bban = String(randomInt(10 ** 14)).padStart(18, '1')
  const check = 98n - (BigInt(`${bban}131400`) % 97n)
  return `DE${String(check).padStart(2, '0')}${bban}`
}
const OPERATOR = 'operator:asha'

let bank: BankAnchor
let reads: { path: string }[] = []
let centralId = ''
beforeAll(async () => {
  bank = await BankAnchor.start()
  reads = (await endpointsOf(bank.app.server.app)).filter(
    ({ realm, method, scopes = [], file }) =>
      realm === 'developer' &&
      method === 'GET' &&
      !file &&
      scopes.some(scope => (defaultScopes as readonly string[]).includes(scope)),
  )
  await putOnList(LISTED)
})
afterAll(() => bank.close())

/** A list loses no name by one person. */
const listed: string[] = []
async function putOnList(name: string): Promise<void> {
  listed.push(name)
  const answer = await bank.app.server.app.inject({
    method: 'POST',
    url: `/admin/sanctions-lists?${new URLSearchParams({ fileName: 'list.xml', by: OPERATOR })}`,
    headers: { ...asPlatform(bank.deps.config.secrets), 'content-type': 'application/octet-stream' },
    payload: euXml(listed.map((each, index) => ({ id: index + 1, name: each }))),
  })
  expect(answer.statusCode).toBeLessThan(300)
}

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
  /** What it waits for before, which everyone sees. */
  waits?: string
  /** Makes a transaction whose money is about to leave, and the hit that holds it. */
  begin(): Promise<string>
  hold(id: string): Promise<void>
}

const pays = async (name: string): Promise<string> => {
  const { id, reference, money } = await bank.deposit()
  const line = { amount: money, text: reference, name, account: newIban(), bankReference: randomUUID() }
  await bank.read('SEPA', `${id}.xml`, camt053([line]))
  return id
}
const payAll = async () => {
  for (const table of ['ledger_payments', 'rail_orders'])
    await bank.rows(`update ${table} set next_try_at = now() where state = 'queued'`)
  await payQueued(bank.deps)
  await bank.sendOrders()
}
const holdByRule = async () => {
  const rules = [{ kind: 'customer-sum', hours: 24, count: null, amount: '1' }]
  const version = (await bank.rows('select from velocity_rules')).length
  await bank.asOperator('PUT', '/velocity-rules', { rules, version, by: OPERATOR })
  await payAll()
  await bank.asOperator('PUT', '/velocity-rules', { rules: [], version: version + 1, by: OPERATOR })
}
const holdByList = async () => {
  await compareNames(bank.deps)
  await payAll()
}

/** Someone of whom nothing was confirmed. */
function newCustomer(): void {
  const syllables = Array.from({ length: 5 }, () => 'bdfgklmnprstvz'[randomInt(14)]! + 'aeiou'[randomInt(5)]!)
  later = `Vasil ${syllables.join('')}`
  Object.assign(bank, { wallet: generateKey().publicKey })
  centralId = `cus_${randomUUID()}`
  const known = { customerId: centralId, status: 'ACCEPTED' as const, walletVerified: true }
  bank.deps.customerRegistry.byWallet = async () => known
}

/** The identity provider rejects the customer. */
async function reject(): Promise<void> {
  const { id } = await ensureCustomer(bank.deps, bank.wallet, null)
  await changeCustomer(bank.deps, id, { centralId })
  const now = new Date()
  const report = { sessionId: 's', customerId: centralId, status: 'REJECTED' as const, provider: 'mock' }
  bank.deps.customerRegistry.passReport = async () => ({ ...report, completedAt: now.toISOString() })
  const payload = JSON.stringify(report)
  const headers = { 'content-type': 'application/json', ...signWebhook('secret', randomUUID(), payload, now) }
  const url = '/api/v1/customer/kyc/webhook'
  const answer = await bank.app.server.app.inject({ method: 'POST', url, payload, headers })
  expect(answer.statusCode).toBe(200)
}
const suspects: Record<string, Suspect> = {
  payer: { begin: () => pays(LISTED), hold: payAll },
  rule: {
    begin: () => pays('Asha Rao'),
    hold: holdByRule,
  },
  'wallet without a trustline': {
    waits: 'no-trustline',
    begin: async () => {
      const ledger = bank.deps.horizon as UnreliableNetwork
      ledger.untrusted.add(bank.wallet)
      const id = await pays(later)
      await payAll()
      await putOnList(later)
      return id
    },
    hold: holdByList,
  },
  'rejected customer': {
    waits: 'identity',
    begin: async () => {
      const fields = { dest: newIban(), dest_name: later }
      const given = bank.transaction({ kind: 'withdrawal', type: 'sepa', fields })
      const { id } = await acceptTransaction(bank.deps, given)
      await receiveUnits(bank.deps, await confirm(bank.deps, id), { sender: bank.wallet })
      await reject()
      await bank.sendOrders()
      await putOnList(later)
      return id
    },
    hold: holdByList,
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
      newCustomer()
      const id = await suspect.begin()
      const before = await answers(id)
      const { waits = '' } = suspect
      expect(before['/api/v1/transactions/:id']).toEqual([
        200,
        expect.stringMatching(/"(funded|awaiting_trust)"/),
      ])
      expect(before['/api/v1/transactions/:id']).toEqual([200, expect.stringContaining(waits)])
      await suspect.hold(id)
      const hit = await waiting(id)
      if (!hit) throw new Error('nothing holds it')
      expect(await answers(id)).toEqual(before)
      for (const step of steps) {
        await acts[step](hit)
        expect([step, await answers(id)]).toEqual([step, before])
      }
    }),
    {
      numRuns: 7,
      examples: Object.keys(suspects).map(kind => [kind, ['retry', 'confirm']] as [string, Act[]]),
    },
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
      expect.objectContaining({
        code: 'forbidden',
        detail: expect.stringMatching(/^The key lacks the scope compliance\. /),
      }),
    ])
})
