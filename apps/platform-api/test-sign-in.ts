import { requestCustomerCode, verifyCustomerCode } from '@windlass/contracts/customers.ts'
import { requestOperatorCode, verifyOperatorCode } from '@windlass/contracts/operators.ts'
import type { TestApp } from './test-app.ts'

/** The code in the newest mail to an address. */
export async function mailedCode(app: TestApp, email: string): Promise<string> {
  await app.drain()
  const mail = app.mails.findLast(({ to }) => to === email)
  const code = /^\d{6}$/m.exec(mail?.text ?? '')?.[0]
  if (!code) throw new Error(`no code was mailed to ${email}`)
  return code
}

/** A code that is surely not the given one. */
export const otherCode = (code: string, by = 1): string =>
  String((Number(code) + by) % 1_000_000).padStart(6, '0')

export async function signInOperator(app: TestApp, email: string) {
  const operator = app.client()
  await operator.call(requestOperatorCode, { body: { email } })
  const body = { email, code: await mailedCode(app, email) }
  const user = await operator.call(verifyOperatorCode, { body })
  return Object.assign(operator, { user })
}

export async function signInCustomer(app: TestApp, email: string) {
  const customer = app.client()
  await customer.call(requestCustomerCode, { body: { email } })
  const body = { email, code: await mailedCode(app, email) }
  const { user } = await customer.call(verifyCustomerCode, { body })
  return Object.assign(customer, { user })
}
