import { Ivms101 } from '@windlass/contracts/anchor/ivms101.ts'
import { AmountError, formatAmount, parsePositiveAmount } from '@windlass/money/amount.ts'
import { outboundFailure, type OutboundTls } from '@windlass/service/outbound/outbound.ts'
import Type from 'typebox'
import { Check } from 'typebox/value'
import type { Deps } from '../../deps.ts'
import { urlOfTravelAddress } from '../../people/travel-providers/travel-address.ts'
import { faultsOf } from '../travel-rule/constraints.ts'
import { type Inquiry, NotTaken, type Resolution, type TravelProtocol } from './protocol.ts'

/*
 * The Travel Rule Protocol of OpenVASP, version 3.2: JSON over HTTPS. The IVMS101 of an inquiry is of 2023 here; that of 2020,
 * whose lists have plural names, is read too.
 */

export const TRP_VERSION = '3.2.1'
const TIMEOUT = 10_000
const MAX_BYTES = 65_536
/** SLIP-0044's number of Stellar; which asset of it, an extension says. */
const STELLAR = 148

const MAX_WORDS = 500
const Words = Type.String({ minLength: 1, maxLength: MAX_WORDS })
const Url = Type.String({ minLength: 1, maxLength: 2_000 })
const Approved = Type.Object({ address: Type.String({ maxLength: 512 }), callback: Url })

/** A resolution; null: it is none, or says that an answer comes later. */
export function readResolution(body: unknown): Resolution | null {
  if (Check(Type.Object({ approved: Approved }), body)) return { approved: body.approved }
  if (Check(Type.Object({ rejected: Words }), body)) return { rejected: body.rejected }
  return null
}

export function readEnding(body: unknown): { txid: string } | { canceled: string } | null {
  if (Check(Type.Object({ txid: Type.String({ minLength: 1, maxLength: 128 }) }), body))
    return { txid: body.txid }
  if (Check(Type.Object({ canceled: Words }), body)) return { canceled: body.canceled }
  return null
}

const InquiryBody = Type.Object({
  amount: Type.Number(),
  callback: Url,
  IVMS101: Type.Object({}, { additionalProperties: true }),
  extensions: Type.Optional(
    Type.Object(
      { stellarAsset: Type.Optional(Type.String({ maxLength: 100 })) },
      { additionalProperties: true },
    ),
  ),
})

/** An inquiry; a text: what is wrong with it. */
export function readInquiry(request: string, body: unknown, today: string): Inquiry | string {
  if (!Check(InquiryBody, body)) return 'amount, callback and IVMS101 are needed'
  const document: unknown = as2023(body.IVMS101)
  if (!Check(Ivms101, document)) return 'IVMS101 is not of the form of IVMS101.2023'
  const faults = faultsOf(document, today)
  if (faults.length > 0) return `IVMS101 does not hold to ${faults.join(', ')}`
  const { callback, extensions } = body
  const amount = amountIn(body.amount)
  if (amount === null)
    return 'amount must be more than 0, with at most 7 fraction digits, as the ledger holds it'
  return { request, amount, asset: extensions?.stellarAsset ?? null, callback, document }
}

/** An amount of the ledger; null: it is none. */
function amountIn(given: number): string | null {
  try {
    return formatAmount(parsePositiveAmount(given))
  } catch (error) {
    if (error instanceof AmountError) return null
    throw error
  }
}

const RENAMED: Readonly<Record<string, string>> = {
  originatorPersons: 'originatorPerson',
  beneficiaryPersons: 'beneficiaryPerson',
  geographicAddresses: 'geographicAddress',
  nameIdentifiers: 'nameIdentifier',
  localNameIdentifiers: 'localNameIdentifier',
  postCode: 'postcode',
}

/** Renames what IVMS101.2020 calls otherwise. */
function as2023(given: object): object {
  const document = renamed(given, '') as Record<string, unknown>
  const inner = (name: string) => {
    const outer = document[name] as Record<string, unknown> | undefined
    return outer === undefined ? {} : { [name]: outer[name] ?? outer }
  }
  const { originator, beneficiary } = document
  return {
    ...{ originator: withAccounts(originator), beneficiary: withAccounts(beneficiary) },
    ...inner('originatingVASP'),
    ...inner('beneficiaryVASP'),
    payloadMetadata: { payloadVersion: '101.2023' },
  }
}

/** In 2020 an account number stood beside the persons of a side, in 2023 it is of each. */
function withAccounts(side: unknown): unknown {
  const { accountNumber, ...rest } = (side ?? {}) as Record<string, unknown>
  if (accountNumber === undefined) return rest
  const give = (person: unknown) => ({ accountNumber, ...(person as object) })
  return Object.fromEntries(
    Object.entries(rest).map(([name, persons]) => [
      name,
      Array.isArray(persons) ? persons.map(give) : persons,
    ]),
  )
}

const MOST_DEPTH = 12

function renamed(value: unknown, within: string, depth = 0): unknown {
  if (depth > MOST_DEPTH) return null
  if (Array.isArray(value)) return value.map(each => renamed(each, within, depth + 1))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const isOfNatural = name === 'nameIdentifierType' && within === 'nameIdentifier'
      const now = isOfNatural ? 'naturalPersonNameIdentifierType' : (RENAMED[name] ?? name)
      return [now, renamed(inner, now, depth + 1)]
    }),
  )
}

type Asking = Pick<Deps, 'outbound' | 'config'>

export const trp = (deps: Asking, tls?: OutboundTls): TravelProtocol => ({
  inquire: async (travelAddress, inquiry) => {
    const url = urlOfTravelAddress(travelAddress, schemeOf(deps))
    if (url === null) throw new NotTaken('refused')
    const text = await post({ ...deps, tls }, url, inquiry.request, inquiryText(inquiry))
    const body = parsed(text)
    const resolution = readResolution(body)
    if (resolution === null && !Check(Type.Object({ version: Type.String() }), body))
      throw new NotTaken('no-answer')
    return resolution
  },
  resolve: async (callback, request, resolution) => {
    await post({ ...deps, tls }, callback, request, JSON.stringify(resolution))
  },
  confirm: async (callback, request, ending) => {
    await post({ ...deps, tls }, callback, request, JSON.stringify(ending))
  },
})

/** On a developer's machine nothing has certificates. */
const schemeOf = ({ config }: Asking): 'http' | 'https' =>
  config.local && config.anchor.publicUrl.startsWith('http:') ? 'http' : 'https'

/** The amount is a number of JSON with all its digits, which no float has. */
function inquiryText({ amount, asset, callback, document }: Inquiry): string {
  const others = {
    ...{ asset: { slip0044: STELLAR }, callback, IVMS101: document },
    ...(asset === null ? {} : { extensions: { stellarAsset: asset } }),
  }
  return `{"amount":${amount},${JSON.stringify(others).slice(1)}`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new NotTaken('no-answer')
  }
}

async function post(
  deps: Asking & { tls: OutboundTls | undefined },
  url: string,
  request: string,
  body: string,
): Promise<string> {
  const headers = {
    ...{ 'content-type': 'application/json', 'api-version': TRP_VERSION, 'request-identifier': request },
    ...(body.includes('"extensions"') ? { 'api-extensions': 'stellarAsset' } : {}),
  }
  const { tls } = deps
  const init = {
    method: 'POST',
    headers,
    body,
    timeout: TIMEOUT,
    maxBytes: MAX_BYTES,
    ...(tls && { tls }),
  } as const
  if (!isAllowed(deps, url)) throw new NotTaken('refused')
  const { status, text } = await deps.outbound.request(url, init).catch((error: unknown) => {
    throw new NotTaken(outboundFailure(error) === 'too-long' ? 'no-answer' : 'unreachable')
  })
  if (status !== 200 && status !== 204) throw new NotTaken(status >= 500 ? 'unreachable' : 'refused')
  return text
}

/** Personal data goes over HTTPS alone. */
export function isAllowed(deps: Asking, url: string): boolean {
  const parts = URL.parse(url)
  if (!parts || parts.username || parts.password) return false
  return parts.protocol === 'https:' || (schemeOf(deps) === 'http' && parts.protocol === 'http:')
}
