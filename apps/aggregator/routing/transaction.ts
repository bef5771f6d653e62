import type { RouteRequest } from '@windlass/contracts/aggregator/routing.ts'
import { AmountError, formatAmount, parsePositiveAmount, type Amount } from '@windlass/money/amount.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { spelled } from '../registry/entry.ts'

/** What is routed or quoted, in the registry's own spelling. */
export interface Transaction {
  /** Asset units. */
  amount: Amount
  /** `CODE` or `CODE:ISSUER`. */
  asset: string
  rail: string
  region?: string
  currency?: string
  /** Whether external anchors compete too. */
  external?: boolean
}

type Fields = Omit<RouteRequest, 'policyId'>
type Mistake = { path: string; message: string }

/**
 * Reads a transaction from a request whose fields may go by several names and be in any case. Throws
 * `validation-failed` naming every mistake; `currency` is one of them where it is missing and needed.
 */
export function readTransaction(fields: Fields, needs: { currency: boolean }): Transaction {
  const mistakes: Mistake[] = []
  const pair = readPair(fields.currencyPair, mistakes)
  const amount = readAmount(fields, mistakes)
  const asset = readAsset(fields.asset ?? fields.assetCode ?? fields.asset_code ?? pair?.asset, mistakes)
  const rail = readWord('rail', fields.rail ?? fields.paymentRail ?? fields.payment_rail, RAIL, mistakes)
  const region = readOptional('region', fields.region ?? fields.country, REGION, mistakes)
  const currency = readOptional(
    'currency',
    fields.currency ?? fields.sourceCurrency ?? pair?.currency,
    CURRENCY,
    mistakes,
  )
  if (needs.currency && currency === undefined && !mistakes.some(({ path }) => path === 'currency')) {
    mistakes.push({ path: 'currency', message: 'is required' })
  }
  const [first] = mistakes
  if (first || amount === null) throw refusal(mistakes)
  return {
    amount,
    asset,
    rail,
    ...(region ? { region } : {}),
    ...(currency ? { currency } : {}),
    ...(fields.external ? { external: true } : {}),
  }
}

export function describeTransaction({ amount, asset, rail, region, currency }: Transaction): string {
  const where = region ? ` in ${region}` : ' in any region'
  const paid = currency ? `, paid in ${currency}` : ''
  return `${formatAmount(amount)} ${asset} over ${rail}${where}${paid}`
}

const RAIL = { pattern: /^[A-Z0-9_-]{1,32}$/, form: 'must be the name of a payment rail such as UPI' }
const REGION = { pattern: /^[A-Z]{2}$/, form: 'must be an ISO 3166 country code such as IN' }
const CURRENCY = { pattern: /^[A-Z0-9]{1,12}$/, form: 'must be a currency code such as INR' }
const ASSET = /^[A-Z0-9]{1,12}(:(native|G[A-Z2-7]{55}))?$/

function refusal(mistakes: Mistake[]): Problem {
  const first = mistakes[0]
  const more = mistakes.length > 1 ? ` (and ${mistakes.length - 1} more)` : ''
  return new Problem('validation-failed', `${first?.path} ${first?.message}${more}.`, { errors: mistakes })
}

function readAmount(fields: Fields, mistakes: Mistake[]): Amount | null {
  const given = fields.amount ?? fields.transactionAmount ?? fields.transaction_amount
  if (given === undefined) {
    mistakes.push({ path: 'amount', message: 'is required' })
    return null
  }
  try {
    return parsePositiveAmount(typeof given === 'string' ? given.trim() : given)
  } catch (error) {
    if (!(error instanceof AmountError)) throw error
    mistakes.push({ path: 'amount', message: error.message })
    return null
  }
}

function readAsset(given: Fields['asset'], mistakes: Mistake[]): string {
  if (given === undefined) {
    mistakes.push({ path: 'asset', message: 'is required' })
    return ''
  }
  const name = typeof given === 'string' ? given : [given.code, given.issuer].filter(Boolean).join(':')
  const asset = spelled(name)
  if (!ASSET.test(asset)) mistakes.push({ path: 'asset', message: 'must be CODE or CODE:ISSUER' })
  return asset
}

function readPair(
  given: string | undefined,
  mistakes: Mistake[],
): { currency: string; asset: string } | null {
  if (given === undefined) return null
  const [currency, asset, ...rest] = given.split(/[/_-]/)
  if (currency && asset && rest.length === 0) return { currency, asset }
  mistakes.push({ path: 'currencyPair', message: 'must be a currency and an asset such as INR/USDC' })
  return null
}

function readWord(
  path: string,
  given: string | undefined,
  word: { pattern: RegExp; form: string },
  mistakes: Mistake[],
): string {
  const read = readOptional(path, given, word, mistakes)
  if (read !== undefined) return read
  if (!mistakes.some(mistake => mistake.path === path)) mistakes.push({ path, message: 'is required' })
  return ''
}

function readOptional(
  path: string,
  given: string | undefined,
  { pattern, form }: { pattern: RegExp; form: string },
  mistakes: Mistake[],
): string | undefined {
  const value = given?.trim().toUpperCase()
  if (value === undefined || value === '') return undefined
  if (pattern.test(value)) return value
  mistakes.push({ path, message: form })
  return undefined
}
