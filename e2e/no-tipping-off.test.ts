import { type CookieJar, createClient } from '@windlass/client/client.ts'
import type { Case } from '@windlass/contracts/anchor/cases.ts'
import type { ScreeningHit } from '@windlass/contracts/anchor/compliance.ts'
import { activateAnchor } from '@windlass/contracts/internal/control-plane.ts'
import { addMember } from '@windlass/contracts/platform/members.ts'
import { reportNotifications } from '@windlass/contracts/platform/notifications.ts'
import { getOperatorProfile } from '@windlass/contracts/platform/operators.ts'
import * as cases from '@windlass/contracts/platform/workspace-cases.ts'
import {
  decideWorkspaceScreeningHit,
  getWorkspaceEvidence,
} from '@windlass/contracts/platform/workspace-compliance.ts'
import type { MemberRole } from '@windlass/contracts/realm.ts'
import type { OutboundRequest } from '@windlass/service/outbound/outbound.ts'
import { startOutbox } from '@windlass/service/work/outbox.ts'
import type { UnreliableNetwork } from '@windlass/stellar/testing/unreliable-network.ts'
import { endpointsOf } from '@windlass/testing/walk.ts'
import fc from 'fast-check'
import { generateKey } from '@windlass/stellar/keys.ts'
import { createHash, randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSepServer } from '../apps/business-server/outgoing/clients/sep-server.ts'
import { deliverSepCalls } from '../apps/business-server/outgoing/sep-calls/sep-calls.ts'
import { payQueued } from '../apps/business-server/payments/pay.ts'
import { asPlatform } from '../apps/business-server/testing/as-platform.ts'
import { BankAnchor, camt053 } from '../apps/business-server/testing/bank-anchor.ts'
import { euXml } from '../apps/business-server/testing/sanctions-lists.ts'
import { confirm } from '../apps/business-server/transfers/confirm.ts'
import { createReporter } from '../apps/business-server/workspace/notifications/report.ts'
import { clientOf, injectFetch, type TestApp, testApp } from '../apps/platform-api/testing/app.ts'
import { stood, type TestServices, testServices } from '../apps/platform-api/testing/services.ts'
import { signInCustomer, signInOperator } from '../apps/platform-api/testing/sign-in.ts'
import { redeemed } from '../apps/platform-api/testing/story.ts'
import { deliverers } from '../apps/sep-server/callbacks/deliver.ts'
import { createBusinessServer } from '../apps/sep-server/clients/business-server.ts'
import { type SepApp, startSepApp } from '../apps/sep-server/testing/sep-app.ts'

/*
 * Telling of a suspicion is a crime. A customer by their wallet, on the anchor's pages and in the portal, and everyone in the
 * anchor's team who is not of compliance, are answered the same before and after a hit, and after each thing done about it.
 */

const LISTED = 'Qadir Testov'
const IBAN = 'DE02120300000000202051'
/** Everyone who may not know. */
const OTHERS = ['member', 'finance', 'support'] as const satisfies MemberRole[]

let bank: BankAnchor
let sep: SepApp
let platform: TestApp
let services: TestServices
let calls: ReturnType<typeof startOutbox>
/** What the wallet's server was called with. */
const called: string[] = []
let report: () => Promise<void>
let anchorId = ''
let officer: Awaited<ReturnType<typeof signInOperator>>
let customer: Awaited<ReturnType<typeof signInCustomer>>
const others = new Map<string, Awaited<ReturnType<typeof signInOperator>>>()

const listen = async ({ app }: { app: SepApp['server']['app'] }): Promise<string> => {
  await app.listen({ port: 0, host: '127.0.0.1' })
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
}

beforeAll(async () => {
  bank = await BankAnchor.start()
  const { anchor, secrets } = bank.deps.config
  sep = await startSepApp(
    {
      business: createBusinessServer(await listen(bank.app.server), secrets.link),
      outbound: {
        request: async (_: string, { body }: OutboundRequest = {}) => {
          called.push(steady(String(body)))
          return { status: 204, headers: {}, text: '' }
        },
        close: async () => undefined,
      },
    },
    { anchor, linkSecret: secrets.link },
  )
  const { database, logger, sealer } = sep.deps
  calls = startOutbox({ database, logger, sealer, deliver: deliverers(sep.deps) })
  bank.deps.sepServer = createSepServer(await listen(sep.server), secrets.link)
  await loadList(LISTED)
  await startPlatform()
})
afterAll(async () => {
  await platform.close()
  await services.close()
  await calls.stop()
  await sep.close()
  await bank.close()
})

const loadList = (...names: string[]) =>
  bank.app.server.app.inject({
    method: 'POST',
    url: `/admin/sanctions-lists?${new URLSearchParams({ fileName: 'list.xml', by: 'operator:x' })}`,
    headers: { ...asPlatform(bank.deps.config.secrets), 'content-type': 'application/octet-stream' },
    payload: euXml(names.map((name, index) => ({ id: index + 1, name }))),
  })

/** A platform whose anchor is the one above, with one person of each role. */
async function startPlatform(): Promise<void> {
  services = await testServices()
  const headers = asPlatform(bank.deps.config.secrets)
  const anchorServer = createClient({ baseUrl: '', headers, fetch: injectFetch(bank.app.server) })
  platform = await testApp({ deps: { ...services.clients, anchorServer: () => anchorServer } })
  const story = await redeemed(platform, 'quiet', { businessEmail: 'owner@quiet.example' })
  anchorId = story.anchorId
  const secret = 'quiet-secret'.padEnd(40, 'z')
  const serviceSecretHash = createHash('sha256').update(secret).digest('hex')
  const params = { jobId: story.jobId }
  await platform.service.call(activateAnchor, { params, body: { ...stood, serviceSecretHash } })
  const owner = await signInOperator(platform, 'owner@quiet.example')
  const organizationId = (await owner.call(getOperatorProfile)).organizations[0]?.id ?? ''
  const join = async (role: MemberRole) => {
    const email = `${role}@quiet.example`
    await owner.call(addMember, { params: { organizationId }, body: { email, role } })
    return signInOperator(platform, email)
  }
  officer = await join('compliance')
  for (const role of OTHERS) others.set(role, await join(role))
  await platform.database.pool.query(
    "update memberships set manager_since = manager_since - interval '25 hours'",
  )
  customer = await signInCustomer(platform, 'qadir@customer.example')
  const anchorItself = clientOf(platform.server, { 'x-service-secret': secret })
  bank.deps.notifier = {
    report: async body => void (await anchorItself.call(reportNotifications, { body })),
  }
  report = createReporter(bank.deps)
}

/** A deposit by SEP-24 whose money came, so that it is about to be paid. */
async function begin(payer: string, account = IBAN): Promise<string> {
  const answer = await sep.server.app.inject({
    method: 'POST',
    url: '/sep24/transactions/deposit/interactive',
    headers: { ...(await token()), 'content-type': 'application/json' },
    payload: { asset_code: bank.deps.config.anchor.plan.asset.code, amount: '20', lang: 'en' },
  })
  const { id } = answer.json<{ id: string }>()
  const url = 'https://wallet.example/changes'
  await sep.deps.database.pool.query('update transactions set on_change_callback = $1 where id = $2', [
    url,
    id,
  ])
  await calls.drain()
  await bank.rows("update transfers set rail = 'SEPA', currency = 'EUR' where id = $1", [id])
  const { reference, fiat_amount } = await confirm(bank.deps, id)
  const line = { amount: Number(fiat_amount).toFixed(2), text: reference ?? '', name: payer, account }
  await bank.read('SEPA', `${id}.xml`, camt053([{ ...line, bankReference: randomUUID() }]))
  await deliverSepCalls(bank.deps)
  return id
}

async function token(): Promise<{ authorization: string }> {
  const session = { account: bank.wallet, memo: null, clientDomain: null, homeDomain: 'x', tokenId: 'a' }
  return { authorization: `Bearer ${await sep.deps.tokens.issue(session, new Date())}` }
}

type Answers = Record<string, [status: number, body: string]>
/** What differs from one question to the next by itself. */
const steady = (text: string) =>
  text
    .replaceAll(/"(asOf|at|checkedAt|requestId|lastUsedAt|lastSeenAt|issuedAt)":"[^"]*"/g, '')
    .replaceAll(/"lastLedger":\d+/g, '')
    .replaceAll(/token=[\w.-]+/g, '')
    // A transaction that adds a trustline ends some minutes after it was asked for, and so does its code.
    .replaceAll(/AAAAAg[\w+/%]{100,}={0,2}|data:image\/png;base64,[\w+/=]+/g, '')

/** By SEP-6, 12, 24, 31 and 38, and on the page behind the link to more. */
async function walletHears(id: string): Promise<Answers> {
  const all: Answers = {}
  const headers = await token()
  const reads = (await endpointsOf(sep.server.app)).filter(
    ({ method, realm, path }) =>
      method === 'GET' && (realm === 'wallet' || realm === 'public') && !/(deposit|withdraw)/.test(path),
  )
  expect(reads.length).toBeGreaterThan(10)
  for (const { path } of reads) {
    const query = new URLSearchParams({ id, asset_code: bank.deps.config.anchor.plan.asset.code })
    const url = `${path.replace(/:\w+/, id)}?${path === '/sep12/customer' ? '' : query}`
    const { statusCode, body } = await sep.server.app.inject({ url, headers })
    if (path.startsWith('/health')) continue
    all[path] = [statusCode, steady(body)]
  }
  const { transaction } = JSON.parse((all['/sep24/transaction'] ?? [0, '{}'])[1]) as {
    transaction: { status: string }
  }
  expect(transaction.status).toBe(trusts(bank.wallet) ? 'pending_anchor' : 'pending_trust')
  return { ...all, ...(await pageShows(id, headers)) }
}

async function pageShows(id: string, headers: object): Promise<Answers> {
  const { body } = await sep.server.app.inject({
    url: `/sep24/transaction?id=${id}`,
    headers: { ...headers },
  })
  const link = new URL(
    (JSON.parse(body) as { transaction: { more_info_url: string } }).transaction.more_info_url,
  )
  const opened = await bank.app.server.app.inject({ url: link.pathname + link.search })
  const cookie = String(opened.headers['set-cookie']).split(';')[0] ?? ''
  const all: Answers = {}
  for (const path of ['', '/state', '/transaction']) {
    const url = `/interactive/t/${id}${path}`
    const page = await bank.app.server.app.inject({ url, headers: { cookie } })
    expect([path, page.statusCode]).toEqual([path, 200])
    all[`page${path}`] = [200, steady(page.body).replaceAll(/nonce[-=]["']?[\w+/=-]+/g, '')]
  }
  return all
}

const ledgerOf = () => bank.deps.horizon as UnreliableNetwork
const trusts = (wallet: string) => !ledgerOf().untrusted.has(wallet)

/** What the platform answers, mails and notifies. */
async function platformTells(id: string): Promise<Record<string, Answers>> {
  const reads = (await endpointsOf(platform.server.app)).filter(
    ({ method, file, path }) => method === 'GET' && !file && !path.endsWith('/events'),
  )
  const about = (await bank.rows<{ id: string }>('select id from customers limit 1'))[0]?.id ?? 'none'
  const fetch = injectFetch(platform.server)
  const ask = async ({ cookies }: { cookies: CookieJar }, realm: string) => {
    const all: Answers = {}
    const cookie = cookies.header()
    for (const endpoint of reads.filter(each => each.realm === realm)) {
      const path = endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) => {
        if (name === 'anchorId') return anchorId
        return endpoint.path.includes('/customers/') ? about : id
      })
      const answer = await fetch(`${path}?from=2026-11-01&to=2026-11-20`, {
        method: 'GET',
        headers: { cookie },
      })
      all[endpoint.path] = [answer.status, steady(await answer.text())]
    }
    return all
  }
  const told: Record<string, Answers> = { customer: await ask(customer, 'customer') }
  for (const [role, person] of others) told[role] = await ask(person, 'operator')
  await platform.drain()
  const mailed = platform.mails.filter(({ to }) => !/^(owner|compliance)@/.test(to))
  return { ...told, mails: { count: [mailed.length, mailed.map(({ subject }) => subject).join()] } }
}

async function everythingHeard(id: string) {
  await deliverSepCalls(bank.deps)
  await calls.drain()
  await report()
  const delivered = await bank.rows<{ n: number }>('select count(*)::int as n from webhook_deliveries')
  return { wallet: await walletHears(id), platform: await platformTells(id), delivered, called: [...called] }
}

const retry = async () => {
  await bank.rows("update ledger_payments set next_try_at = now() where state = 'queued'")
  await payQueued(bank.deps)
}

const waiting = async (id: string): Promise<ScreeningHit> => {
  const hits = (await bank.get('/screening-hits?status=waiting')).json<ScreeningHit[]>()
  const hit = hits.find(({ transactions }) => transactions.includes(id))
  if (!hit) throw new Error('nothing holds it')
  return hit
}

const acts = {
  retry,
  open: (id: string) =>
    officer.call(cases.openWorkspaceCase, {
      params: { anchorId },
      body: { subject: { kind: 'transaction', id }, reason: 'Structuring.' },
    }),
  note: async (id: string) =>
    officer.call(cases.noteWorkspaceCase, {
      params: { anchorId, id: await caseOf(id) },
      body: { text: 'STR filed.' },
    }),
  plan: async (id: string) =>
    officer.call(cases.planWorkspaceCase, {
      params: { anchorId, id: await caseOf(id) },
      body: { assignedTo: `operator:${officer.user.id}`, dueOn: '2026-12-24' },
    }),
  evidence: (id: string) => officer.call(getWorkspaceEvidence, { params: { anchorId, id } }),
  confirm: async (id: string) =>
    officer.call(decideWorkspaceScreeningHit, {
      params: { anchorId, id: (await waiting(id)).id },
      body: { decision: 'confirm', reason: 'It is them.', evidence: 'STR 1' },
    }),
}
type Act = keyof typeof acts

const caseOf = async (id: string): Promise<string> => {
  const open = (await bank.get('/cases?status=open')).json<Case[]>()
  return open.find(({ subject }) => subject.id === id)?.id ?? ''
}

it('a hit and a case change nothing that a customer, their wallet or the rest of the team hears', async () => {
  const anyActs = fc
    .shuffledSubarray(['retry', 'open', 'note', 'plan', 'evidence'] as Act[], { minLength: 2 })
    .map(some => [...some, 'confirm' as const])
  await fc.assert(
    fc.asyncProperty(anyActs, async steps => {
      const id = await begin(LISTED)
      const before = await everythingHeard(id)
      await retry()
      await waiting(id)
      expect(await everythingHeard(id)).toEqual(before)
      for (const step of steps) {
        await acts[step](id)
        expect([step, await everythingHeard(id)]).toEqual([step, before])
      }
    }),
    { numRuns: 2 },
  )
}, 240_000)

it('what a payment waited for before a hit is shown on, to all of them', async () => {
  const payer = 'Vasil Drobnev'
  Object.assign(bank, { wallet: generateKey().publicKey })
  ledgerOf().untrusted.add(bank.wallet)
  // Nothing was confirmed of them.
  const known = { customerId: `cus_${randomUUID()}`, status: 'ACCEPTED' as const, walletVerified: true }
  bank.deps.customerRegistry.byWallet = async () => known
  const id = await begin(payer, 'DE75512108001245126199')
  await retry()
  const before = await everythingHeard(id)
  const seen = JSON.stringify(before.platform.finance)
  expect(seen).toContain('no-trustline')
  const { statusCode } = await loadList(LISTED, payer)
  expect(statusCode).toBeLessThan(300)
  const listed = await everythingHeard(id)
  await retry()
  await waiting(id)
  expect(await everythingHeard(id)).toEqual(listed)
  for (const step of ['open', 'retry', 'confirm'] as const) {
    await acts[step](id)
    expect([step, await everythingHeard(id)]).toEqual([step, listed])
  }
}, 240_000)
