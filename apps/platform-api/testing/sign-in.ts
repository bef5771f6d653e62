import {
  acceptAdministratorInvitation,
  inviteAdministrator,
} from '@windlass/contracts/platform/administrator-accounts.ts'
import { adminLogin } from '@windlass/contracts/platform/administrators.ts'
import { requestCustomerCode, verifyCustomerCode } from '@windlass/contracts/platform/customers.ts'
import { requestOperatorCode, verifyOperatorCode } from '@windlass/contracts/platform/operators.ts'
import type { AdminRole } from '@windlass/contracts/realm.ts'
import { signInAdmin, type TestApp } from './app.ts'

const CODE = /^\d{6}$/m

/** The code in the newest mail to an address that has one. */
export async function mailedCode(app: TestApp, email: string): Promise<string> {
  await app.drain()
  const mail = app.mails.findLast(({ to, text }) => to === email && CODE.test(text))
  const code = CODE.exec(mail?.text ?? '')?.[0]
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

export const ADMINISTRATORS_PASSWORD = 'nine lanterns by the pier'

/** The token of the newest invitation that was mailed to an address. */
export async function mailedInvitation(app: TestApp, email: string): Promise<string> {
  await app.drain()
  const mail = app.mails.findLast(({ to, text }) => to === email && text.includes('/invitation#token='))
  const token = /#token=([\w-]+)/.exec(mail?.text ?? '')?.[1]
  if (!token) throw new Error(`no invitation was mailed to ${email}`)
  return token
}

/** An administrator who accepted an invitation of the first owner, signed in. */
export async function signInAdministrator(app: TestApp, email: string, role: AdminRole) {
  const owner = await signInAdmin(app)
  await owner.call(inviteAdministrator, { body: { email, role } })
  const token = await mailedInvitation(app, email)
  const body = { token, name: email.slice(0, email.indexOf('@')), password: ADMINISTRATORS_PASSWORD }
  const admin = app.client()
  await admin.call(acceptAdministratorInvitation, { body })
  await admin.call(adminLogin, { body: { email, password: ADMINISTRATORS_PASSWORD } })
  return admin
}
