import { xdr } from '@stellar/stellar-sdk/base'
import { setTimeout as sleep } from 'node:timers/promises'
import { faultOfTransaction, hashOf, innerHashOf } from './check-answers.ts'
import type { Submission, TransactionDocument } from './horizon.ts'
import { askHorizon, HorizonError, readHorizon } from './horizon-client.ts'
import type { LedgerSource } from './network.ts'

/** Some ledgers of five seconds. */
const WITHIN_MS = 15_000
/**
 * Waits before the ledger is asked for the transaction; the last one repeats. A local network closes one each second. The
 * ledger gateway asks Horizon again only where a ledger may have closed since.
 */
const POLLS_MS = [50, 250, 250, 250, 250, 500, 500, 500, 1_000]
/** A Horizon that has no `/transactions_async` may be upgraded. */
const WITHOUT_ASYNC_MS = 600_000

/** Until when (monotonic ms) a Horizon is taken to have no `/transactions_async`, by its address. */
const withoutAsync = new Map<string, number>()

/**
 * Submits an envelope and waits until the ledger has it, as long as that is likely to take. By `/transactions_async`, which
 * says at once what stellar-core does with it; the ledger is then asked by the hash of the transaction. A core keeps one
 * pending transaction for each account and answers others with TRY_AGAIN_LATER, also those that it has just applied.
 */
export async function submitEnvelope(source: LedgerSource, envelope: string): Promise<Submission> {
  const until = performance.now() + WITHIN_MS
  try {
    if ((withoutAsync.get(source.url) ?? 0) > performance.now()) return await submitAndWait(source, envelope)
    for (let round = 0; ; round++) {
      const answer = await submitAtOnce(source, envelope)
      if (answer === null) {
        withoutAsync.set(source.url, performance.now() + WITHOUT_ASYNC_MS)
        return await submitAndWait(source, envelope)
      }
      // What a fee bump wraps may be on the ledger by another one.
      const hash = innerHashOf(envelope, source.passphrase)
      // It may have been applied before.
      if (answer.status === 'ERROR')
        return (await find(source, hash)) ?? { outcome: 'refused', codes: answer.codes }
      const isTaken = answer.status !== 'TRY_AGAIN_LATER'
      for (let poll = 0; performance.now() < until; poll++) {
        await sleep(POLLS_MS[Math.min(poll + (isTaken ? 0 : round), POLLS_MS.length - 1)])
        const found = await find(source, hash)
        if (found) return found
        // The account's transaction before it may be on the ledger by now.
        if (!isTaken && poll > 0) break
      }
      if (performance.now() >= until) return unknown(answer.status)
    }
  } catch (error) {
    const status = error instanceof HorizonError ? error.status : 0
    return unknown(status ? `HTTP ${status}` : (error as Error).message)
  }
}

const unknown = (detail: string): Submission => ({ outcome: 'unknown', detail })

type AtOnce = { status: 'PENDING' | 'DUPLICATE' | 'TRY_AGAIN_LATER' } | { status: 'ERROR'; codes: string[] }

/** What stellar-core says of it; null: this Horizon has no such endpoint. */
async function submitAtOnce(source: LedgerSource, envelope: string): Promise<AtOnce | null> {
  const answer = await askHorizon(source, '/transactions_async', {
    form: new URLSearchParams({ tx: envelope }),
    urgency: 'money',
    accept: [400, 404, 405, 409, 503],
  })
  if (answer.status === 404 || answer.status === 405) {
    answer.cancel()
    return null
  }
  const { tx_status: status, error_result_xdr } = JSON.parse(await answer.text()) as {
    tx_status?: string
    error_result_xdr?: string
  }
  switch (status) {
    case 'PENDING':
    case 'DUPLICATE':
    case 'TRY_AGAIN_LATER':
      return { status }
    case 'ERROR':
      return { status, codes: codesIn(error_result_xdr ?? '') }
    default:
      throw new HorizonError(answer.status, `Horizon answered ${answer.status}`)
  }
}

/** What became of a transaction, where the ledger has it: only an answer that proves itself says so. */
async function find(source: LedgerSource, hash: string): Promise<Submission | null> {
  const path = `/transactions/${hash}`
  // What cannot be read now may be read at the next look.
  const document = await readHorizon<TransactionDocument>(source, path, { urgency: 'money' }).catch(
    () => null,
  )
  return document && outcomeOf(document, hash, source)
}

function outcomeOf(document: TransactionDocument, hash: string, { passphrase }: LedgerSource): Submission {
  const fault =
    document.hash === hash ? faultOfTransaction(document, passphrase) : 'it is of another transaction'
  if (fault !== null) return unknown(`the answer contradicts itself: ${fault}`)
  return document.successful
    ? { outcome: 'applied' }
    : { outcome: 'refused', codes: codesIn(document.result_xdr) }
}

/** `POST /transactions`, which answers when the ledger has the transaction, or after 30 seconds. */
async function submitAndWait(source: LedgerSource, envelope: string): Promise<Submission> {
  const answer = await askHorizon(source, '/transactions', {
    form: new URLSearchParams({ tx: envelope }),
    urgency: 'money',
    timeoutMs: WITHIN_MS,
    accept: [400],
  })
  const text = await answer.text()
  if (answer.ok) {
    const document = JSON.parse(text) as TransactionDocument
    return outcomeOf(document, hashOf(envelope, source.passphrase), source)
  }
  const { extras } = JSON.parse(text) as { extras?: { result_xdr?: string } }
  return extras?.result_xdr
    ? { outcome: 'refused', codes: codesIn(extras.result_xdr) }
    : unknown(`HTTP ${answer.status}`)
}

/** The code of a transaction, or of the one inside a fee bump, then those of its operations, in Horizon's form. */
function codesIn(result: string): string[] {
  const whole = xdr.TransactionResult.fromXdr(result, 'base64').result
  const inner = 'innerResultPair' in whole ? whole.innerResultPair.result.result : whole
  const operations = 'results' in inner ? inner.results.map(codeOf) : []
  return [inner.type === 'txNoAccount' ? 'tx_no_source_account' : snakeCase(inner.type), ...operations]
}

/** Where Horizon's code is not what the XDR name gives. */
const RENAMED: Readonly<Record<string, string>> = {
  createAccountAlreadyExist: 'op_already_exists',
  invokeHostFunctionTrapped: 'function_trapped',
  manageDataNameNotFound: 'op_data_name_not_found',
}

function codeOf(result: xdr.OperationResult): string {
  if (result.type === 'opNoAccount') return 'op_no_source_account'
  if (result.type !== 'opInner') return snakeCase(result.type)
  const { type, value } = result.tr
  return RENAMED[value.type] ?? snakeCase(`op${value.type.slice(type.length)}`)
}

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
