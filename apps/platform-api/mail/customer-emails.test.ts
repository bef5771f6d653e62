import { deleteCustomerAccount, requestCustomerCode } from '@windlass/contracts/platform/customers.ts'
import { listCustomerEmails, requestCodeAtAnchor } from '@windlass/contracts/internal/internal.ts'
import { findTexts } from '@windlass/testing/find-texts.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { anchorOf, comesTo, startOutside, type TestAnchor, walletAt } from '../testing/anchor-sign-ins.ts'
import { type TestApp, testApp } from '../testing/app.ts'
import { mailedCode, signInCustomer } from '../testing/sign-in.ts'
import { pruneCustomerEmails } from './customer-emails.ts'

const DAY_MS = 86_400_000
let app: TestApp
let outside: Awaited<ReturnType<typeof startOutside>>
let anchor: TestAnchor
let other: TestAnchor
beforeAll(async () => {
  outside = await startOutside()
  app = await testApp({ env: { HORIZON_URL: outside.url } })
  anchor = await anchorOf(app, 'harbour', outside.url)
  other = await anchorOf(app, 'inland', outside.url)
})
afterAll(async () => {
  await app.close()
  outside.stop()
})

const emailsTo = (account: string, at = anchor) => at.client.call(listCustomerEmails, { query: { account } })

it('an anchor reads what the customer of an account was emailed about it, with address, language and delivery', async () => {
  const [email, wallet] = ['ines@customer.example', generateKey()]
  await comesTo(app, anchor, email, walletAt(anchor, wallet))
  await app.drain()
  const said = { to: email, language: 'en', at: expect.any(String), deliveredAt: expect.any(String) }
  const list = await emailsTo(wallet.publicKey)
  expect(list.toSorted((a, b) => a.template.localeCompare(b.template))).toEqual([
    { id: expect.any(String), template: 'sign-in-code-at-anchor', ...said },
    { id: expect.any(String), template: 'wallet-linked', ...said },
  ])
  expect(await emailsTo(wallet.publicKey, other)).toEqual([])
  const plain = await findTexts(app.database.url, [email])
  expect(plain.filter(each => each.includes('customer_emails'))).toEqual([])
})

it('learns nothing of a mailbox whose code nobody entered, of which nothing stays after 30 days', async () => {
  const { publicKey: account } = generateKey()
  await anchor.client.call(requestCodeAtAnchor, { body: { email: 'stranger@customer.example', account } })
  expect(await emailsTo(account)).toEqual([])
  const stored = () =>
    app.database.db.selectFrom('customer_emails').select('id').where('account', '=', account).execute()
  expect(await stored()).toHaveLength(1)
  await pruneCustomerEmails(app.database.db, new Date(app.clock.now().getTime() + 31 * DAY_MS))
  expect(await stored()).toEqual([])
})

it('keeps that there was an email without the address once the customer deletes their account', async () => {
  const [email, wallet] = ['rosa@customer.example', generateKey()]
  await comesTo(app, anchor, email, walletAt(anchor, wallet))
  app.clock.advance(61_000)
  const customer = await signInCustomer(app, email)
  await customer.call(requestCustomerCode, { body: { email, purpose: 'deletion' } })
  const code = await mailedCode(app, email)
  await customer.call(deleteCustomerAccount, { body: { code } })
  const list = await emailsTo(wallet.publicKey)
  expect(list.map(({ to }) => to)).toEqual([null, null])
  await pruneCustomerEmails(app.database.db, new Date(app.clock.now().getTime() + 9 * 365 * DAY_MS))
  expect(await emailsTo(wallet.publicKey)).toHaveLength(2)
  await pruneCustomerEmails(app.database.db, new Date(app.clock.now().getTime() + 11 * 365 * DAY_MS))
  expect(await emailsTo(wallet.publicKey)).toEqual([])
})
