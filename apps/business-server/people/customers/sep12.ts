import type { Db } from '@windlass/service/postgres/database.ts'
import {
  FILE_ID,
  type CustomerAnswer,
  type CustomerField,
} from '@windlass/contracts/anchor/anchor-platform.ts'
import type { ErasureAnswer } from '@windlass/contracts/anchor/retention.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import {
  type CustomerChange,
  changeCustomerIn,
  ensureCustomer,
  findCustomer,
  findCustomerById,
  mergeFields,
  unknownCustomer,
} from './customers.ts'
import { directAnswer, isDirectType } from './direct.ts'
import { attachFiles, listFiles, moveFiles, requireFiles } from './files.ts'
import { type CustomerKyc, kycOf, ownerOf } from './kyc-status.ts'
import { requestCode, signIn } from './link-wallet.ts'
import type { Customer } from './seal-details.ts'
import { checkSep9, fitsSep9 } from './sep9-values.ts'
import { startVerification } from './verification.ts'
import { queueErasure } from '../../outgoing/sep-calls/sep-calls.ts'
import { keepCustomer, personOf as keptPersonOf } from './kept.ts'
import { forgetVerifiedName, verifiedNameOf } from './verified-name.ts'
import { hasOpenCase } from '../compliance/cases.ts'
import { forgetNames, walletSubject } from '../compliance/screened-names.ts'
import { currentRetention, removedFrom } from '../retention/rules.ts'
import type { Deps } from '../../deps.ts'
import type { CustomerFile, Tables } from '../../tables.ts'
import { createHash } from 'node:crypto'

const required: Readonly<Record<string, CustomerField>> = {
  first_name: { type: 'string', description: 'The customer’s given name' },
  last_name: { type: 'string', description: 'The customer’s family name' },
  email_address: { type: 'string', description: 'Where the customer is reached and signs in' },
}
/** For wallets that draw `fields` only: SEP-9 has no field for a code. */
const code: CustomerField = {
  type: 'string',
  description: 'Enter the 6-digit code that was emailed to you',
}

interface CustomerKey {
  id?: string
  account?: string
  memo?: string
  /** SEP-12's `type`. */
  type?: string
}

/**
 * `GET /customer`. Someone accepted at another anchor becomes a customer here with the first request; every other
 * unknown customer is NEEDS_INFO without an id, and nothing is stored. Throws 404 for an unknown id.
 *
 * @param orDescribed without a type, the one for which a sending anchor described the customer last
 * @returns `isDirect`: the answer is about direct payments
 */
export async function answerCustomer(
  deps: Deps,
  { orDescribed = false, ...key }: CustomerKey & { orDescribed?: boolean },
): Promise<{ answer: CustomerAnswer; isDirect: boolean }> {
  const found = await find(deps, key)
  const type = key.type ?? (orDescribed ? found?.directType : null) ?? undefined
  if (isDirectType(deps, type))
    return { answer: await directAnswer(deps, key.account ?? '', type, found), isDirect: true }
  const customer = found ?? (await acceptedElsewhere(deps, key))
  if (!customer) return { answer: { status: 'NEEDS_INFO', fields: required }, isDirect: false }
  const [files, kyc] = [await listFiles(deps, customer.id), await kycOf(deps, customer)]
  const answer = answerFor(customer, files, kyc)
  const person = kyc.centralId === null ? {} : { person: personOf(kyc.centralId) }
  return { answer: { ...answer, ...person }, isDirect: false }
}

/** Tells people apart at the SEP server, without their ids at the platform. */
const personOf = (centralId: string): string =>
  createHash('sha256').update(`person:${centralId}`).digest('base64url')

/** What {@link answerCustomer} says of the identity of who has an account; null: they are no customer. */
export async function findKyc(
  deps: Deps,
  key: { account: string; memo: string | null },
): Promise<CustomerKyc | null> {
  const customer = (await findCustomer(deps, key.account, key.memo)) ?? (await acceptedElsewhere(deps, key))
  return customer && kycOf(deps, customer)
}

/** As {@link answerCustomer}: the answer alone. */
export const readCustomer = async (deps: Deps, key: CustomerKey): Promise<CustomerAnswer> =>
  (await answerCustomer(deps, key)).answer

/**
 * `PUT /customer`: stores details and files, emails a code to an address that the platform has not seen with this
 * wallet, checks the code, and opens the provider's session once everything is there. Files are for the operator's
 * review; the provider collects documents itself. A request that is refused, or fails because the platform is down,
 * changes nothing and can be sent again.
 */
export async function putCustomer(
  deps: Deps,
  key: CustomerKey,
  given: Readonly<Record<string, string>>,
  client?: string,
): Promise<{ id: string }> {
  const { mailedCode, rest } = takeCode(given)
  const isFile = ([name]: [string, string]) => name.endsWith(FILE_ID)
  const named = Object.entries(rest).filter(isFile)
  const files = Object.fromEntries(named.map(([name, id]) => [name.slice(0, -FILE_ID.length), id]))
  const reported = Object.fromEntries(Object.entries(rest).filter(entry => !isFile(entry)))
  checkSep9(reported)
  // An id is enough (SEP-12): it may be a customer of a shared account, whose owner asks.
  const known = await find(deps, key)
  const direct = isDirectType(deps, key.type)
  if (direct && !known && key.memo === undefined)
    throw new Problem('validation-failed', 'memo is required: it tells your customers apart')
  const before = known ?? unknownCustomer(key.account ?? '', key.memo ?? null, deps.clock.now())
  const customer = { ...before, fields: mergeFields(before.fields, reported) }
  await requireFiles(deps.database.db, known?.id, files)
  const kyc = direct ? null : await kycOf(deps, customer)
  const identified = kyc?.centralId === null ? await identify(deps, customer, mailedCode, client) : {}
  const { database, sealer } = deps
  const changed = await database.db.transaction().execute(async tx => {
    const store = { sealer, database: { ...database, db: tx } }
    const { id } = known ?? (await ensureCustomer(store, before.account, before.memo))
    await attachFiles(tx, sealer, id, files)
    return changeCustomerIn(tx, sealer, id, {
      ...{ fields: reported, directType: direct ? (key.type ?? null) : null },
      ...identified,
    })
  })
  if (!changed) throw noCustomer()
  if (direct) deps.wake.emit('identified')
  else {
    const isSame = known !== null && Object.keys(identified).length === 0
    await verify(deps, changed, isSame ? kyc : null)
  }
  return { id: changed.id }
}

async function acceptedElsewhere(
  deps: Deps,
  { account, memo = null }: Omit<CustomerKey, 'memo'> & { memo?: string | null },
) {
  if (!account) return null
  const found = await ownerOf(deps, { account, memo }).catch(() => null)
  return found?.status === 'ACCEPTED' ? ensureCustomer(deps, account, null) : null
}

/** SEP-12 sends a code as `email_address_verification`. As `email_address` six digits are a code too: no address is that. */
function takeCode({ email_address_verification, ...given }: Readonly<Record<string, string>>) {
  if (!/^\d{6}$/.test(given.email_address ?? ''))
    return { mailedCode: email_address_verification, rest: given }
  const { email_address, ...rest } = given
  return { mailedCode: email_address_verification ?? email_address, rest }
}

/** Emails a code, or checks the one that was sent; returns what changed. Throws `validation-failed` for a wrong code. */
async function identify(
  deps: Deps,
  customer: Customer,
  mailedCode: string | undefined,
  client: string | undefined,
): Promise<CustomerChange> {
  const { email_address: email } = customer.fields
  if (mailedCode !== undefined) {
    const signedIn = await signIn(deps, customer, mailedCode, client)
    if (signedIn !== null) return signedIn
    throw new Problem('validation-failed', 'email_address_verification is not the code that was emailed')
  }
  // An earlier version stored addresses without checking them: an invalid one must not fail the request.
  if (!email || email === customer.pendingEmail || !fitsSep9('email_address', email)) return {}
  await requestCode(deps, customer, email, client)
  return { pendingEmail: email, unconfirmed: false }
}

/** @param known what the platform has just said of the same customer; null: it is asked */
async function verify(deps: Deps, customer: Customer, known: CustomerKyc | null): Promise<void> {
  const kyc = known ?? (await kycOf(deps, customer))
  if (kyc.status === 'ACCEPTED') deps.wake.emit('identified')
  const complete = missingFields(customer).length === 0
  if (kyc.centralId && complete && kyc.status === 'NEEDS_INFO') {
    await startVerification(deps, kyc.centralId, undefined)
  }
}

/**
 * Removes what refers to a customer who is deleted. `isLooked`: someone looks into what the customer did.
 *
 * @returns `transactions`: those for which the customer is kept; `moved`: whether money of any came
 */
export type Detach = (
  tx: Db<Tables>,
  customer: Pick<Customer, 'id' | 'account' | 'memo' | 'central_id'>,
  { isLooked, at }: { isLooked: boolean; at: Date },
) => Promise<{ transactions: string[]; moved: boolean }>

/**
 * `DELETE /customer`: removes the personal data, or sets it apart for as long as the law asks where money moved or someone looks
 * into it; transactions stay. The answer follows from the customer's money alone: nobody may learn by asking that someone looks.
 * Throws 404 for an unknown id.
 */
export async function deleteCustomer(deps: Deps, id: string, detach: Detach): Promise<ErasureAnswer> {
  const customer = await demand(deps, { id })
  return deps.database.db.transaction().execute(tx => erase(deps, tx, customer, detach))
}

/** As {@link deleteCustomer}, of a customer who asked by letter: the SEP server is sent word too. */
export async function eraseCustomer(deps: Deps, id: string, detach: Detach): Promise<ErasureAnswer> {
  const customer = await demand(deps, { id })
  return deps.database.db.transaction().execute(async tx => {
    const answer = await erase(deps, tx, customer, detach)
    await queueErasure(tx, customer)
    return answer
  })
}

/** What {@link deleteCustomer} would answer: it is done, and taken back. */
export async function previewErasure(
  deps: Deps,
  id: string,
  detach: Detach,
): Promise<{ customer: Customer; answer: ErasureAnswer }> {
  const customer = await demand(deps, { id })
  const seen = new Preview()
  await deps.database.db
    .transaction()
    .execute(async tx => {
      seen.answer = await erase(deps, tx, customer, detach)
      throw seen
    })
    .catch((error: unknown) => {
      if (error !== seen) throw error
    })
  if (!seen.answer) throw new Error('nothing was answered')
  return { customer, answer: seen.answer }
}

class Preview extends Error {
  answer?: ErasureAnswer
}

async function erase(deps: Deps, tx: Db<Tables>, customer: Customer, detach: Detach): Promise<ErasureAnswer> {
  const { database, sealer } = deps
  const at = deps.clock.now()
  const store = { sealer, database: { ...database, db: tx } }
  const looked = [{ kind: 'customer', id: customer.id }, walletSubject(customer)]
  const isLooked = await hasOpenCase(tx, looked)
  const { transactions, moved } = await detach(tx, customer, { isLooked, at })
  const isKept = transactions.length > 0 || isLooked
  if (isKept) {
    const person = await keptPersonOf(store, customer, await verifiedNameOf(tx, sealer, customer.central_id))
    await keepCustomer(tx, sealer, customer, { person, transactions, at })
    await moveFiles(tx, person.files, customer.id)
  }
  await forgetNames(tx, deps.sealer, customer)
  await forgetVerifiedName(tx, customer)
  await tx.deleteFrom('customers').where('id', '=', customer.id).execute()
  const { customerYears } = await currentRetention(deps, tx)
  return moved
    ? {
        ...{ id: customer.id, kept: ['identity', 'transactions', 'payment-records'] },
        until: removedFrom(at, customerYears),
      }
    : { id: customer.id, kept: [], until: null }
}

async function find(deps: Deps, key: CustomerKey): Promise<Customer | null> {
  if (!key.id) return findCustomer(deps, key.account ?? '', key.memo ?? null)
  const customer = await findCustomerById(deps, key.id)
  const anothers =
    customer &&
    key.account !== undefined &&
    (customer.account !== key.account || (key.memo !== undefined && customer.memo !== key.memo))
  if (!customer || anothers) throw noCustomer()
  return customer
}

async function demand(deps: Deps, key: CustomerKey): Promise<Customer> {
  const customer = await find(deps, key)
  if (!customer) throw noCustomer()
  return customer
}

const noCustomer = () => new Problem('customer-not-found', 'There is no such customer.')

const described = (name: string, type: CustomerField['type']): CustomerField => ({
  type,
  description: name.replaceAll(/[._]+/g, ' '),
})

/** The SEP-9 fields that are still required of a customer. */
export const missingFields = ({ fields }: Customer): string[] =>
  Object.keys(required).filter(name => !fields[name])

const UNCONFIRMED =
  'This wallet is new to the customer. It continues once the customer confirms it: the email that was sent says how.'

function answerFor(
  customer: Customer,
  files: readonly CustomerFile[],
  { status, centralId }: CustomerKyc,
): CustomerAnswer {
  const { id, pendingEmail, unconfirmed } = customer
  const texts = Object.keys(customer.fields).map(name => ({
    name,
    ...((Object.hasOwn(required, name) && required[name]) || described(name, 'string')),
  }))
  const uploads = files.map(({ name }) => ({ name, ...described(name, 'binary') }))
  const provided: Record<string, CustomerField> = Object.fromEntries(
    [...texts, ...uploads].map(({ name, ...field }) => [name, { ...field, status: fieldStatus(status) }]),
  )
  const provided_fields = Object.keys(provided).length > 0 ? provided : undefined
  if (status === 'ACCEPTED') return { id, status, provided_fields }
  if (status === 'REJECTED') {
    return { id, status, provided_fields, message: 'The identity could not be verified.' }
  }
  const lacking = missingFields(customer)
  if (lacking.length > 0) {
    const fields = Object.fromEntries(Object.entries(required).filter(([name]) => lacking.includes(name)))
    return { id, status: 'NEEDS_INFO', fields, provided_fields }
  }
  if (centralId === null && unconfirmed)
    return { id, status: 'PROCESSING', provided_fields, message: UNCONFIRMED }
  if (centralId === null) {
    const email = { ...required.email_address, status: 'VERIFICATION_REQUIRED' as const } as CustomerField
    return {
      id,
      status: 'NEEDS_INFO',
      fields: { email_address: pendingEmail ? code : required.email_address } as Record<
        string,
        CustomerField
      >,
      provided_fields: { ...provided, email_address: email },
      message: 'Send the 6-digit code that was emailed as email_address_verification.',
    }
  }
  return { id, status: 'PROCESSING', provided_fields, message: 'The identity is being verified.' }
}

function fieldStatus(status: CustomerKyc['status']): CustomerField['status'] {
  if (status === 'ACCEPTED' || status === 'REJECTED') return status
  return 'PROCESSING'
}
