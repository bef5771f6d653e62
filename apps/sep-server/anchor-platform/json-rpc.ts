import {
  MAX_BATCH,
  RpcParams,
  rpcErrors,
  rpcMethods,
  type RpcAnswer,
  type RpcMethod,
} from '@windlass/contracts/anchor/anchor-platform.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { sql } from 'kysely'
import { compileCheck } from '@windlass/service/http/validation.ts'
import { lazily } from '@windlass/service/work/lazily.ts'
import { callbackUrl } from '../requests/callback-url.ts'
import type { Deps } from '../deps.ts'
import { lastLogin } from '../sep10/used-challenges.ts'
import { changeTransaction, findTransaction, listTransactions } from '../transactions/transactions.ts'
import type { Transaction } from '../tables.ts'
import { platformForm } from '../transactions/events.ts'
import { walletForm } from '../transactions/look-up.ts'
import { getPlatformQuote } from '../sep38/quotes.ts'
import { forgetCustomer, sendCustomerUpdate } from '../sep12/customers.ts'
import { applyCall } from './apply-call.ts'
import { requireOnLedger } from './ledger-word.ts'
import { RpcError } from './rpc-error.ts'

const checkParams = lazily(() => compileCheck(RpcParams, 'body'))

/** Answers a batch (an array of at most 40 calls) or a single call. Each call is one database transaction. */
export async function answerBatch(deps: Deps, document: unknown): Promise<RpcAnswer[]> {
  const calls = Array.isArray(document) ? document : [document]
  if (calls.length === 0) return [failure(null, rpcErrors.invalidRequest, 'the batch is empty')]
  if (calls.length > MAX_BATCH) {
    return [failure(null, rpcErrors.invalidRequest, `a batch has at most ${MAX_BATCH} calls`)]
  }
  const answers: RpcAnswer[] = []
  // In order: calls of one batch often change the same transaction.
  for (const call of calls) answers.push(await answerCall(deps, call))
  return answers
}

async function answerCall(deps: Deps, call: unknown): Promise<RpcAnswer> {
  const { jsonrpc, id, method, params } = (call ?? {}) as Record<string, unknown>
  const known = typeof id === 'string' || typeof id === 'number' ? id : null
  if (jsonrpc !== '2.0' || typeof method !== 'string') {
    return failure(known, rpcErrors.invalidRequest, 'a call needs jsonrpc "2.0" and a method')
  }
  try {
    return { jsonrpc: '2.0', id: known, result: await perform(deps, known, method, params ?? {}) }
  } catch (error) {
    if (error instanceof RpcError) return failure(known, error.code, error.message)
    if (error instanceof Problem) return failure(known, rpcErrors.invalidParams, error.message)
    deps.logger.error({ err: error, method }, 'a Platform API call failed')
    return failure(known, rpcErrors.internal, 'internal error')
  }
}

async function perform(
  deps: Deps,
  id: string | number | null,
  method: string,
  params: unknown,
): Promise<unknown> {
  const { db } = deps.database
  if (method === 'get_transaction') return platformForm(await requireTransaction(deps, params))
  if (method === 'get_transactions') return listRecords(db, params)
  // Ours: the transaction as its wallet reads it, which the pages post to the wallet that opened them.
  if (method === 'get_wallet_transaction')
    return { transaction: await walletForm(deps, await requireTransaction(deps, params)) }
  if (method === 'set_wallet_callback') {
    const url = callbackUrl('url', textOf(params, 'url'), deps.config.local)
    const kind = (params as { kind?: unknown }).kind === 'callback' ? 'callback' : 'on_change_callback'
    const changed = await changeTransaction(db, (await requireTransaction(deps, params)).id, { [kind]: url })
    return platformForm(changed)
  }
  if (method === 'get_login_proof') return { transaction: await lastLogin(db, textOf(params, 'account')) }
  if (method === 'get_quote') return getQuote(db, params)
  if (method === 'notify_customer_info_updated' && !hasTransaction(params)) {
    return { reported: await sendCustomerUpdate(deps, textOf(params, 'customer_id')) }
  }
  if (method === 'notify_customer_erased') {
    const memo = (params as { memo?: unknown }).memo
    const wallet = { account: textOf(params, 'account'), memo: typeof memo === 'string' ? memo : null }
    await forgetCustomer(deps, textOf(params, 'customer_id'), wallet)
    return {}
  }
  if (!isMethod(method)) throw new RpcError(rpcErrors.methodNotFound, `unknown method ${method}`)
  checkParams(params)
  await requireOnLedger(deps, method, params as RpcParams)
  return once(deps, id, method, params as RpcParams)
}

/** Applies a call. One whose id begins with `once:` is applied once; a repeat gets the first answer. */
async function once(
  deps: Deps,
  id: string | number | null,
  method: RpcMethod,
  params: RpcParams,
): Promise<unknown> {
  const key = typeof id === 'string' && id.startsWith('once:') ? id.slice(0, 200) : null
  return deps.database.db.transaction().execute(async tx => {
    if (key) {
      const before = await tx
        .selectFrom('applied_calls')
        .select('result')
        .where('id', '=', key)
        .executeTakeFirst()
      if (before) return before.result
    }
    const result = platformForm(await applyCall(tx, deps, method, params))
    if (key) {
      await tx
        .insertInto('applied_calls')
        .values({ id: key, result: JSON.stringify(result) })
        .execute()
    }
    return result
  })
}

function isMethod(method: string): method is RpcMethod {
  return (rpcMethods as readonly string[]).includes(method)
}

async function requireTransaction({ database }: Deps, params: unknown): Promise<Transaction> {
  const row = await findTransaction(database.db, textOf(params, 'transaction_id'))
  if (!row) throw new RpcError(rpcErrors.invalidParams, 'unknown transaction')
  return row
}

async function getQuote(db: Deps['database']['db'], params: unknown) {
  const quote = await getPlatformQuote(db, textOf(params, 'quote_id'))
  if (!quote) throw new RpcError(rpcErrors.invalidParams, 'unknown quote')
  return quote
}

/** `get_transactions`, and `GET /transactions`. */
export async function listRecords(db: Deps['database']['db'], params: unknown) {
  return { records: (await listTransactions(db, params)).map(platformForm) }
}

const hasTransaction = (params: unknown) => 'transaction_id' in (params as object)

function textOf(params: unknown, name: string): string {
  const value = (params as Record<string, unknown> | null)?.[name]
  if (typeof value !== 'string') throw new RpcError(rpcErrors.invalidParams, `${name} is required`)
  return value
}

const failure = (id: string | number | null, code: number, message: string): RpcAnswer => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
})

/** Deletes results that are too old for the business server to repeat the call. */
export async function deleteOldCalls(db: Deps['database']['db']): Promise<void> {
  await db
    .deleteFrom('applied_calls')
    .where('applied_at', '<', sql<Date>`now() - interval '30 days'`)
    .execute()
}
