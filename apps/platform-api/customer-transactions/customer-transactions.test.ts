import { createClient } from '@windlass/client/client.ts'
import { listCustomerTransactions, withdrawAnchorAccess } from '@windlass/contracts/platform/customers.ts'
import type { DeveloperTransaction } from '@windlass/contracts/anchor/developer-api.ts'
import { requestCodeAtAnchor, signInAtAnchor } from '@windlass/contracts/internal/internal.ts'
import { cursorAfter, pageStart } from '@windlass/service/http/pages.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { summarySecretContext } from '../anchors/registry.ts'
import { activeAnchor } from '../testing/anchors.ts'
import { type TestApp, testApp } from '../testing/app.ts'
import { mailedCode, signInCustomer, signInOperator } from '../testing/sign-in.ts'
import { refusal } from '../testing/story.ts'

const EMAIL = 'asha@mail.example'
let app: TestApp
/**
 * By the anchor's address: what its server has of each person, newest first. `down` servers refuse connections, `silent`
 * ones never answer.
 */
const servers = new Map<
  string,
  Record<string, DeveloperTransaction[]> | 'down' | 'silent' | { answers: unknown }
>()
const asked: { apiUrl: string; body: Record<string, unknown> }[] = []

beforeAll(async () => {
  app = await testApp({
    deps: {
      anchorServer: apiUrl =>
        createClient({
          baseUrl: apiUrl,
          fetch: async (_url, init) => {
            const body = JSON.parse(String(init.body)) as {
              personId: string
              limit?: number
              cursor?: string
            }
            asked.push({ apiUrl, body })
            const server = servers.get(apiUrl)
            if (server === 'silent') return abortOf(init.signal)
            if (!server || server === 'down') throw new TypeError('connection refused')
            if ('answers' in server) return Response.json(server.answers)
            const start = pageStart(body)
            const before = ({ createdAt, id }: DeveloperTransaction) =>
              !start || `${createdAt} ${id}` < `${start.createdAt.toISOString()} ${start.id}`
            const rows = (server[body.personId] ?? []).filter(before).slice(0, body.limit ?? 100)
            const last = rows.length === (body.limit ?? 100) ? rows.at(-1) : undefined
            const next = last ? cursorAfter({ id: last.id, createdAt: new Date(last.createdAt) }) : null
            return Response.json({ transactions: rows, next })
          },
        }),
    },
  })
})
afterAll(() => app.close())

/** Rejects once the caller gives up. */
const abortOf = (signal: AbortSignal | null | undefined) =>
  new Promise<never>((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error))
  })

const transaction = (id: string, minute: number): DeveloperTransaction => ({
  id,
  protocol: 'sep24',
  kind: 'deposit',
  status: 'completed',
  account: `G${'A'.repeat(55)}`,
  memo: '77',
  rail: 'UPI',
  currency: 'INR',
  amount: '100',
  fee: '1',
  railAmount: '8938.5',
  ledgerTransaction: null,
  railPaymentId: 'bank-reference-of-the-anchor',
  message: null,
  createdAt: `2020-11-20T10:0${minute}:00.000Z`,
  updatedAt: `2020-11-20T10:0${minute}:00.000Z`,
})

/** An anchor where the customer signed in. */
async function visited(name: string, email = EMAIL) {
  const operator = await signInOperator(app, `${name}@operator.example`)
  const anchor = await activeAnchor(app, operator.user.id, name)
  const apiUrl = `http://${name}.example`
  await app.database.db
    .updateTable('anchors')
    .set({
      api_url: apiUrl,
      summary_secret: app.deps.sealer.seal('s'.repeat(32), summarySecretContext(anchor.id)),
    })
    .where('id', '=', anchor.id)
    .execute()
  await anchor.client.call(requestCodeAtAnchor, { body: { email } })
  const code = await mailedCode(app, email)
  const { customerId } = await anchor.client.call(signInAtAnchor, { body: { email, code } })
  return { ...anchor, apiUrl, customerId }
}

it('a customer reads the transactions at all their anchors, newest first; one that does not answer is named', async () => {
  const lotus = await visited('lotus')
  const harbour = await visited('harbour')
  const quiet = await visited('quiet')
  const { customerId } = lotus
  servers.set(lotus.apiUrl, {
    [customerId]: [transaction('lotus-5', 5), transaction('lotus-3', 3), transaction('lotus-1', 1)],
    another: [transaction('not-theirs', 9)],
  })
  servers.set(harbour.apiUrl, { [customerId]: [transaction('harbour-4', 4), transaction('harbour-2', 2)] })
  servers.set(quiet.apiUrl, 'down')
  const customer = await signInCustomer(app, EMAIL)

  const ids: string[] = []
  let cursor: string | undefined
  do {
    const page = await customer.call(listCustomerTransactions, {
      query: { limit: 2, ...(cursor === undefined ? {} : { cursor }) },
    })
    expect(page.unavailable).toEqual([
      { id: quiet.id, homeDomain: 'quiet.anchors.localhost', organizationName: 'quiet' },
    ])
    ids.push(...page.transactions.map(({ id }) => id))
    cursor = page.next ?? undefined
  } while (cursor)
  expect(ids).toEqual(['lotus-5', 'harbour-4', 'lotus-3', 'harbour-2', 'lotus-1'])

  // One anchor's, without what is the anchor's own.
  const query = { anchorId: harbour.id, kind: 'deposit' as const }
  const { transactions } = await customer.call(listCustomerTransactions, { query })
  expect(transactions).toHaveLength(2)
  expect(transactions[0]).toMatchObject({ assetCode: 'TEST', anchor: { organizationName: 'harbour' } })
  expect(JSON.stringify(transactions)).not.toContain('bank-reference')
  expect(asked.at(-1)).toEqual({
    apiUrl: harbour.apiUrl,
    body: { personId: customerId, kind: 'deposit' },
  })

  // Another customer, who came to none of them, reaches no anchor, not even by its id.
  const stranger = await signInCustomer(app, 'stranger@mail.example')
  const before = asked.length
  for (const strangers of [{}, query]) {
    const none = { transactions: [], unavailable: [], next: null }
    expect(await stranger.call(listCustomerTransactions, { query: strangers })).toEqual(none)
  }
  expect(asked).toHaveLength(before)
  expect(await refusal(customer.call(listCustomerTransactions, { query: { cursor: 'x' } }))).toMatchObject({
    status: 400,
  })
  expect(asked).toHaveLength(before)

  // An anchor whose access the customer withdrew is not asked.
  await customer.call(withdrawAnchorAccess, { params: { id: lotus.id } })
  const rest = await customer.call(listCustomerTransactions)
  expect(rest.transactions.map(({ id }) => id)).toEqual(['harbour-4', 'harbour-2'])
})

it('a customer reads the transactions at other anchors, whatever the server of one answers', async () => {
  const email = 'ravi@mail.example'
  const [honest, hostile] = [await visited('honest', email), await visited('hostile', email)]
  servers.set(honest.apiUrl, { [honest.customerId]: [transaction('own-3', 3), transaction('own-2', 2)] })
  const customer = await signInCustomer(app, email)
  const row = transaction('x', 4)
  const many = Array.from({ length: 101 }, (_, index) => transaction(`x-${index}`, 1))
  for (const answers of [
    null,
    'text',
    { transactions: 5, next: null },
    { transactions: [{ ...row, createdAt: 'soon' }], next: null },
    { transactions: [{ ...row, createdAt: '2026-99-20T10:00:00.000Z' }], next: null },
    { transactions: [{ ...row, createdAt: '9999-01-01T00:00:00.000Z' }], next: null },
    { transactions: [{ ...row, amount: {} }], next: null },
    { transactions: many, next: null },
  ]) {
    servers.set(hostile.apiUrl, { answers })
    const { transactions, unavailable } = await customer.call(listCustomerTransactions)
    expect(transactions.slice(0, 2).map(({ id }) => id)).toEqual(['own-3', 'own-2'])
    expect(unavailable.map(({ id }) => id)).toContain(hostile.id)
  }
  // The same rows on every page would never end.
  const repeated = [transaction('b', 5), transaction('a', 5)]
  servers.set(hostile.apiUrl, { answers: { transactions: repeated, next: 'again' } })
  const first = await customer.call(listCustomerTransactions, { query: { limit: 2 } })
  const query = { limit: 2, cursor: first.next ?? '' }
  const second = await customer.call(listCustomerTransactions, { query })
  expect([first, second].map(page => page.transactions.map(({ id }) => id))).toEqual([
    ['b', 'a'],
    ['own-3', 'own-2'],
  ])
})

it('a customer reads their transactions although an anchor stays silent, which is named', async () => {
  app.deps.anchorAnswersWithinMs = 50
  const email = 'meera@mail.example'
  const answers = await visited('answers', email)
  const silent = await visited('silent', email)
  servers.set(answers.apiUrl, { [answers.customerId]: [transaction('answers-1', 1)] })
  servers.set(silent.apiUrl, 'silent')
  const customer = await signInCustomer(app, email)
  const page = await customer.call(listCustomerTransactions)
  expect(asked.map(({ apiUrl }) => apiUrl)).toContain(silent.apiUrl)
  expect(page.unavailable.map(({ organizationName }) => organizationName)).toEqual(['silent'])
  expect(page.transactions.map(({ id }) => id)).toEqual(['answers-1'])
})
