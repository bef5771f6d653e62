import type { waitCodes } from '@windlass/contracts/anchor/developer-api.ts'
import { sql } from 'kysely'

export type WaitCode = (typeof waitCodes)[number]

/** Why a queued payment or order is not made: a code, and what a sentence about it names. */
export type Wait = { code: WaitCode } & WaitDetails
interface WaitDetails {
  /** The code of the asset that an account cannot receive. */
  asset?: string
  /** XLM. */
  missing?: string
  /** What SEP-12 names them. */
  fields?: readonly string[]
  /** What a program said that refused it or does not answer. */
  error?: string
  /** What it waited for before screening held it. */
  shown?: Wait
}

/** The columns of `ledger_payments` and `rail_orders` that keep it. */
export interface WaitColumns {
  wait_code: WaitCode | null
  wait_details: WaitDetails
}

/** What is written to keep it; null: it waits for nothing. */
export function waitColumns(wait: Wait | null): { wait_code: WaitCode | null; wait_details: string } {
  const { code = null, ...details } = wait ?? {}
  return { wait_code: code, wait_details: JSON.stringify(details) }
}

export const waitOf = ({ wait_code: code, wait_details: details }: WaitColumns): Wait | null =>
  code && { code, ...details }

/**
 * What anyone may see of it: only those who decide know of a suspicion. What was shown before is shown on, since a wait that
 * ends with a hit tells of it.
 */
export const openWait = (wait: Wait | null): Wait | null =>
  wait?.code === 'screening' ? (wait.shown ?? null) : wait

/** The code of {@link openWait}, in a query. */
export const OPEN_CODE = sql<WaitCode | null>`
  (case when wait_code = 'screening' then wait_details->'shown'->>'code' else wait_code end)`
/** The details of {@link openWait}, in a query. */
export const OPEN_DETAILS = sql<WaitDetails>`
  (case when wait_code = 'screening' then (wait_details->'shown') - 'code' else wait_details end)`

/** Written where screening holds it. */
export const SCREENED = {
  wait_code: 'screening',
  wait_details: sql<string>`case
    when wait_code = 'screening' then wait_details
    when wait_code is null then '{}'
    else jsonb_build_object('shown', wait_details || jsonb_build_object('code', wait_code)) end`,
} as const

/** Written where it holds it no more. */
export const RELEASED = {
  wait_code: sql<WaitCode | null>`wait_details->'shown'->>'code'`,
  wait_details: sql<string>`coalesce((wait_details->'shown') - 'code', '{}')`,
}

/** Until someone decides. */
export const UNTIL_DECIDED = sql<Date>`'infinity'`

const kinds = {
  'treasury-short': 'treasury',
  'treasury-frozen': 'treasury',
  xlm: 'xlm',
  'no-account': 'trustline',
  'no-trustline': 'trustline',
  'not-authorized': 'trustline',
  'trustline-full': 'trustline',
  'memo-required': 'trustline',
  unproven: 'operator',
  screening: 'operator',
  identity: 'operator',
  debt: 'operator',
  'travel-data': 'operator',
  'travel-answer': 'operator',
  'other-holder': 'operator',
  unbound: 'operator',
  proof: 'ledger',
  refused: 'ledger',
  unavailable: 'ledger',
} as const satisfies Record<WaitCode, string>

/** What a queued payment waits for, in a word. */
export const kindOfWait = (code: WaitCode | null): 'nothing' | (typeof kinds)[WaitCode] =>
  code === null ? 'nothing' : kinds[code]

const sentences: Readonly<Record<WaitCode, (details: WaitDetails) => string>> = {
  'treasury-short': () => 'The anchor cannot pay out this amount at the moment. It pays as soon as it can.',
  'treasury-frozen': () =>
    'The issuer has not authorized the anchor to pay this asset at the moment. The anchor pays as soon as it can.',
  xlm: ({ missing }) => `needs ${missing} XLM`,
  'no-account': ({ asset }) =>
    asset === 'XLM'
      ? 'The account does not exist. Create it to receive XLM.'
      : `The account does not exist. Create it and add a trustline for ${asset} to receive it.`,
  'no-trustline': ({ asset }) => `Trustline missing. Add a trustline for ${asset} to receive it.`,
  'not-authorized': ({ asset }) =>
    `The issuer has not authorized the trustline for ${asset}. It is checked again.`,
  'trustline-full': ({ asset }) =>
    `The trustline cannot hold the amount. Raise its limit or cancel offers to buy ${asset}.`,
  'memo-required': () =>
    'The account asks for a memo with each payment (SEP-29), and this one has none. It is paid once the account no longer asks.',
  unproven: () => 'An operator must say whether it was paid: no Horizon has this part of the history.',
  screening: () => 'An operator must decide about a hit of compliance screening.',
  identity: () =>
    'The identity of the customer was rejected. An operator can refund it; it is paid once the customer is accepted.',
  debt: () =>
    'A payment of the customer is disputed, or the bank took one back. It is paid once the dispute ends without that, they paid it again, or it is written off.',
  'travel-data': ({ fields = [] }) =>
    `The travel rule asks for more about the customer: ${fields.join(', ')}. It is paid once the customer sends it by SEP-12.`,
  'travel-answer': () =>
    'The provider on the other side has not answered by the travel rule. It is asked again; an operator can let it move without an answer.',
  'other-holder': () =>
    'The bank named another holder of the account than who is to be paid. It is paid once an operator releases it, or refunded.',
  proof: () =>
    "Its payment is being proven by validators' signatures, which are published every few minutes.",
  unbound: () => 'This server did not order it, or ordered something else.',
  refused: ({ error = '' }) => error,
  unavailable: ({ error = '' }) => error,
}

/** In English, for the API and for wallets. */
export const describeWait = ({ code, ...details }: Wait): string => sentences[code](details)

/** As the API has it. */
export const waitForm = ({
  code,
  ...details
}: Wait): { code: WaitCode; details: Record<string, unknown> } => ({
  code,
  details,
})
