import { adminMe } from '@windlass/contracts/platform/administrators.ts'
import {
  deleteCustomerAccount,
  getCustomer,
  requestCustomerCode,
} from '@windlass/contracts/platform/customers.ts'
import { getOperatorProfile } from '@windlass/contracts/platform/operators.ts'
import {
  chooseAdminTimeZone,
  chooseCustomerTimeZone,
  chooseOperatorTimeZone,
} from '@windlass/contracts/platform/time-zones.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signInAdmin, type TestApp, testApp } from '../testing/app.ts'
import { mailedCode, signInCustomer, signInOperator } from '../testing/sign-in.ts'
import { refusal } from '../testing/story.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

it('a time zone is kept with the account of an operator, an administrator and a customer, until they choose none', async () => {
  const operator = await signInOperator(app, 'ravi@zones.example')
  const admin = await signInAdmin(app)
  const customer = await signInCustomer(app, 'mira@zones.example')
  const zones = async () => [
    (await operator.call(getOperatorProfile)).timeZone,
    (await admin.call(adminMe)).timeZone,
    (await customer.call(getCustomer)).timeZone,
  ]
  expect(await zones()).toEqual([undefined, undefined, undefined])
  await operator.call(chooseOperatorTimeZone, { body: { timeZone: 'Asia/Kolkata' } })
  await operator.call(chooseOperatorTimeZone, { body: { timeZone: 'America/Sao_Paulo' } })
  await admin.call(chooseAdminTimeZone, { body: { timeZone: 'UTC' } })
  await customer.call(chooseCustomerTimeZone, { body: { timeZone: 'Europe/Berlin' } })
  expect(await zones()).toEqual(['America/Sao_Paulo', 'UTC', 'Europe/Berlin'])
  await operator.call(chooseOperatorTimeZone, { body: { timeZone: null } })
  expect(await zones()).toEqual([undefined, 'UTC', 'Europe/Berlin'])
})

it('a time zone that does not exist changes nothing', async () => {
  const operator = await signInOperator(app, 'lena@zones.example')
  await operator.call(chooseOperatorTimeZone, { body: { timeZone: 'Asia/Tokyo' } })
  const refused = await refusal(operator.call(chooseOperatorTimeZone, { body: { timeZone: 'Mars/Olympus' } }))
  expect(refused.problem.code).toBe('validation-failed')
  expect((await operator.call(getOperatorProfile)).timeZone).toBe('Asia/Tokyo')
})

it('is forgotten with the account of a customer', async () => {
  const email = 'gone@zones.example'
  const customer = await signInCustomer(app, email)
  await customer.call(chooseCustomerTimeZone, { body: { timeZone: 'Asia/Tokyo' } })
  await customer.call(requestCustomerCode, { body: { email, purpose: 'deletion' } })
  await customer.call(deleteCustomerAccount, { body: { code: await mailedCode(app, email) } })
  const { rowCount } = await app.database.pool.query('select from time_zones where address = $1', [email])
  expect(rowCount).toBe(0)
})
