import { Problem } from '@windlass/service/http/problem.ts'
import { baseAccount } from '@windlass/stellar/addresses.ts'
import { isEmail } from '@windlass/service/http/validation.ts'
import { changeCustomer, type CustomerChange, ownsAccount } from './customers.ts'
import type { Customer } from './seal-details.ts'
import type { Deps } from '../../deps.ts'

/**
 * Has the platform email a sign-in code, and records that one is expected. `client` is the requester's network address.
 * Throws `validation-failed` for an invalid email address, `too-many-requests` for too many codes of one wallet.
 */
export async function sendCode(
  deps: Deps,
  customer: Customer,
  email: string,
  client: string | undefined,
): Promise<void> {
  if (!isEmail(email)) throw new Problem('validation-failed', 'email_address must be an email address')
  await requestCode(deps, customer, email, client)
  await changeCustomer(deps, customer.id, { pendingEmail: email, unconfirmed: false })
}

/** Has a code emailed, within a limit for each wallet: emails go to people who may not have asked for them. */
export async function requestCode(
  { codes, customerRegistry }: Deps,
  { account, memo }: Pick<Customer, 'account' | 'memo'>,
  email: string,
  client: string | undefined,
): Promise<void> {
  await codes.customer.demand(`${account} ${memo ?? ''}`)
  await codes.account.demand(baseAccount(account))
  await customerRegistry.sendCode(email, { account, memo }, client)
}

/** Checks the emailed code as {@link signIn} does, and keeps what it says. False: the code is wrong. */
export async function linkByCode(
  deps: Deps,
  customer: Customer,
  code: string,
  client: string | undefined,
): Promise<boolean> {
  const signedIn = await signIn(deps, customer, code, client)
  if (signedIn === null) return false
  await changeCustomer(deps, customer.id, signedIn)
  return true
}

/**
 * Signs in with the emailed code: this customer is the platform's customer who received it, and a wallet of their own,
 * proven here by SEP-10, is linked to them. Where the account is new to a customer who is known already, it waits until
 * they confirm it. Returns what changes, or null if the code is wrong.
 */
export async function signIn(
  deps: Deps,
  customer: Customer,
  code: string,
  client: string | undefined,
): Promise<CustomerChange | null> {
  const { pendingEmail: email, account, memo } = customer
  if (!email || !/^\d{6}$/.test(code.trim())) return null
  // Without a login the wallet is linked only.
  const login = ownsAccount(customer) ? await lastLogin(deps, account) : null
  const found = await deps.customerRegistry.linkByCode(email, code.trim(), { account, memo, login }, client)
  if (found === null) return null
  if (found === 'unconfirmed') return { pendingEmail: email, unconfirmed: true }
  return { centralId: found.customerId, pendingEmail: null, unconfirmed: false }
}

/** The challenge that the account signed to log in here; null where the SEP server has none or does not answer. */
export async function lastLogin({ sepServer, logger }: Deps, account: string): Promise<string | null> {
  const call = { id: 'login', method: 'get_login_proof', params: { account } }
  const [answer] = await sepServer.send([call]).catch((error: unknown) => {
    logger.warn({ err: error }, 'the login that proves a wallet could not be read')
    return []
  })
  const { transaction } = (answer?.result ?? {}) as { transaction?: unknown }
  return typeof transaction === 'string' ? transaction : null
}
