import { findTexts } from '@windlass/testing/find-texts.ts'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { changeCustomer, ensureCustomer } from '../../people/customers/customers.ts'
import { indexOlder } from '../../people/customers/search.ts'
import { deleteCustomer } from '../../people/customers/sep12.ts'
import { asPlatform } from '../../testing/as-platform.ts'
import { type BusinessApp, startBusinessApp } from '../../testing/business-app.ts'

const WALLET = `G${'M'.repeat(55)}`
const transaction = randomUUID()

let business: BusinessApp
let customerId: string

beforeAll(async () => {
  const verify = async () => ({ anchorId: 'mumbai00000000000000', keyId: 'k', scopes: ['read'] as const })
  business = await startBusinessApp({ keys: { verify } })
  const { deps } = business
  customerId = (await ensureCustomer(deps, WALLET, '7')).id
  await changeCustomer(deps, customerId, {
    fields: { first_name: 'Zoë', last_name: 'Quintrell-Marsh', email_address: 'Zoe@Harbour.example' },
  })
  await deps.database.pool.query(
    `insert into transfers (id, sep, direction, state, account, account_memo, stellar_account, rail, currency, amount,
       fiat_amount, reference, ledger_memo, created_at)
     values ($1, '24', 'deposit', 'completed', $2, '7', $2, 'UPI', 'INR', '12.5', '1106.25', 'W0011223344556677',
       null, '2026-03-01T22:00:00Z'),
       (gen_random_uuid(), '24', 'deposit', 'new', 'GOTHER', null, 'GOTHER', 'UPI', 'INR', '3', null, null, null,
       '2026-03-02T00:00:00Z')`,
    [transaction, WALLET],
  )
})
afterAll(() => business.close())

type Found = { id: string; name?: string | null; customer?: object }[]

async function find(what: 'customers' | 'transactions', text: string, asKey = false): Promise<Found> {
  const headers: Record<string, string> = asKey
    ? { authorization: 'Bearer key' }
    : asPlatform(business.deps.config.secrets)
  const answer = await business.server.app.inject({
    url: `/api/v1/${what}?${new URLSearchParams({ text }).toString()}`,
    headers,
  })
  expect(answer.statusCode).toBe(200)
  return answer.json<Found>()
}
const ids = async (...asked: Parameters<typeof find>) => (await find(...asked)).map(({ id }) => id)

it.each(['zoe', 'Zoë', 'quint', 'MARSH zoe', 'Quintrell-Marsh', 'zoe@harbour.example', WALLET, '7'])(
  'people find a customer by %s, and their transactions',
  async text => {
    expect(await find('customers', text)).toMatchObject([{ id: customerId, name: 'Zoë Quintrell-Marsh' }])
    if (text !== '7')
      expect(await find('transactions', text)).toMatchObject([
        { id: transaction, customer: { id: customerId, name: 'Zoë Quintrell-Marsh' } },
      ])
  },
)

it.each(['zoe smith', 'oe', 'harbour.example', 'zoe@harbour.examples', 'uintrell', '%', ''.padEnd(3, '_')])(
  'nobody is found by %s',
  async text => {
    expect(await find('customers', text)).toEqual([])
    expect(await find('transactions', text)).toEqual([])
  },
)

it.each(['W0011223344556677', 'w0011223344556677', transaction, '12.5', '1106.25', '2026-03-01'])(
  'a transaction is found by %s',
  async text => {
    expect(await ids('transactions', text)).toEqual([transaction])
    expect(await ids('transactions', text, true)).toEqual([transaction])
  },
)

it('a key neither reads names nor finds anyone by them', async () => {
  expect(await find('customers', 'zoe', true)).toEqual([])
  expect(await find('transactions', 'zoe', true)).toEqual([])
  const [customer] = await find('customers', WALLET, true)
  expect(customer).not.toHaveProperty('name')
  const [found] = await find('transactions', WALLET, true)
  expect(found).not.toHaveProperty('customer')
})

it('a customer is found by what they tell now, and after they are deleted by nothing', async () => {
  const { deps } = business
  const { id } = await ensureCustomer(deps, `G${'D'.repeat(55)}`, null)
  await changeCustomer(deps, id, { fields: { first_name: 'Perpetua' } })
  await changeCustomer(deps, id, { fields: { first_name: 'Ximena' } })
  expect(await ids('customers', 'Perpetua')).toEqual([])
  expect(await ids('customers', 'Ximena')).toEqual([id])
  await deleteCustomer(deps, id, async () => ({ transactions: [], moved: false }))
  const { rows } = await deps.database.pool.query('select from customer_words where customer_id = $1', [id])
  expect(rows).toEqual([])
})

it('customers of an earlier release are indexed', async () => {
  const { deps } = business
  await deps.database.pool.query('delete from customer_words; update customers set indexed = false')
  expect(await ids('customers', 'quintrell')).toEqual([])
  await indexOlder(deps)
  expect(await ids('customers', 'quintrell')).toEqual([customerId])
})

it('the database has none of it in plain text', async () => {
  expect(
    await findTexts(business.deps.config.databaseUrl, [
      'quintrell',
      'Quintrell-Marsh',
      'Zoe@Harbour.example',
      'zoe@harbour.example',
    ]),
  ).toEqual([])
})
