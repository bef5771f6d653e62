import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

export interface Answer {
  status: number
  headers: Record<string, string>
  body: unknown
}

/** A transaction that was submitted, and what Horizon says of it afterwards. */
export interface Step {
  name: string
  source: string
  status?: number
  body?: { extras?: { envelope_xdr?: string; result_codes?: unknown } }
  transaction?: Answer & { body: { envelope_xdr?: string; result_xdr?: string } }
  operations?: Answer
  effects?: Answer
}

/** What a Horizon answered to a scripted history of 101 transactions and 168 questions. */
export interface Recording {
  /** Addresses, by the names in the script; their keys are derived from these. */
  accounts: Record<string, string>
  steps: Step[]
  /** By their path. */
  answers: Record<string, Answer>
}

/** Horizon 28.0.0 over stellar-core 28 of protocol 28, taken while other accounts used the network. */
export const horizon28 = (): Recording =>
  JSON.parse(
    gunzipSync(readFileSync(new URL('./horizon-28.json.gz', import.meta.url))).toString(),
  ) as Recording
