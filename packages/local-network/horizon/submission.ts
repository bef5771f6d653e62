import type { FastifyInstance, FastifyReply } from 'fastify'
import { xdr } from '@stellar/stellar-sdk'
import { resultCodes } from '../ledger/codes.ts'
import { MalformedEnvelope, type Incoming } from '../ledger/envelope.ts'
import type { Submission } from '../ledger/ledger.ts'
import { bytes } from '../store/columns.ts'
import type { Row } from '../store/database.ts'
import type { Instance } from './instance.ts'
import {
  badRequest,
  failedTransaction,
  type HorizonProblem,
  malformedTransaction,
  submissionTimeout,
} from './problems.ts'
import { baseUrl, formValue } from './requests.ts'
import { transactionByHash, transactionRecord } from './transactions.ts'

export function submissionRoutes(app: FastifyInstance, instance: Instance): void {
  app.post('/transactions', async (request, reply) => {
    const submission = instance.submit(read(instance, formValue(request, 'tx')))
    return (
      (await lost(instance, submission, reply)) ?? (await included(instance, submission, baseUrl(request)))
    )
  })

  app.post('/transactions_async', async (request, reply) => {
    const envelope = formValue(request, 'tx')
    if (envelope === '') throw badRequest('tx', 'tx: a base64 transaction envelope is required')
    const submission = instance.submit(read(instance, envelope))
    return (await lost(instance, submission, reply)) ?? answerAtOnce(instance, submission, reply)
  })
}

/** Loses the answer to a submission that reaches the ledger, where a fault asks for it. */
async function lost(
  instance: Instance,
  submission: Submission,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  const { status, incoming } = submission
  if (status !== 'pending' && status !== 'included') return undefined
  const answer = instance.takeLostAnswer()
  if (answer === '504') throw timedOut(incoming)
  if (answer !== 'none') return undefined
  if (status === 'pending') await submission.closed
  reply.hijack().raw.destroy()
  return reply
}

function read(instance: Instance, envelope: string): Incoming {
  try {
    return instance.ledger.read(envelope)
  } catch (error) {
    if (error instanceof MalformedEnvelope) throw malformedTransaction(envelope)
    throw error
  }
}

/**
 * The transaction's resource once its ledger has closed and this instance has ingested it.
 * @throws HorizonProblem when it was rejected, failed, or did not close in time
 */
export async function included(instance: Instance, submission: Submission, base: string) {
  const { incoming } = submission
  const envelope = incoming.envelope.toXdr('base64')
  if (submission.status === 'rejected') throw failed(envelope, submission.result)
  const row = await found(instance, submission)
  if (!row) throw timedOut(incoming)
  if (row['successful'] !== 1n) throw failed(envelope, xdr.TransactionResult.fromXdr(bytes(row['result'])))
  return transactionRecord(row, base, incoming.hash.toString('hex'))
}

function failed(envelope: string, result: xdr.TransactionResult) {
  return failedTransaction({
    envelope_xdr: envelope,
    result_xdr: result.toXdr('base64'),
    result_codes: resultCodes(result),
  })
}

function timedOut({ hash, envelope }: Incoming): HorizonProblem {
  return submissionTimeout(hash.toString('hex'), envelope.toXdr('base64'))
}

/** The row of a submission that is in the ledger or will be; undefined when that takes too long, or is not to come. */
async function found(instance: Instance, submission: Submission): Promise<Row | undefined> {
  const row = () => transactionByHash(instance.database, submission.incoming.hash)
  const until = performance.now() + instance.submissionTimeout
  if (submission.status === 'pending') await within(instance.submissionTimeout, submission.closed)
  if (submission.status !== 'later' && instance.latest.sequence >= instance.ledger.latest.sequence)
    return row()
  const { promise, resolve } = Promise.withResolvers<void>()
  const unsubscribe = instance.onLedger(() => row() && resolve())
  if (!row()) await within(until - performance.now(), promise)
  unsubscribe()
  return row()
}

/** Waits for a promise, but no longer than so many milliseconds. */
async function within(milliseconds: number, promise: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>(resolve => {
    timer = setTimeout(resolve, milliseconds)
  })
  try {
    await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

function answerAtOnce(instance: Instance, submission: Submission, reply: FastifyReply) {
  const { tx_status, result } = networkAnswer(instance, submission)
  return reply.code(asyncStatuses[tx_status]).send({
    tx_status,
    hash: submission.incoming.hash.toString('hex'),
    ...(result && { error_result_xdr: result.toXdr('base64') }),
  })
}

const asyncStatuses = { PENDING: 201, DUPLICATE: 409, TRY_AGAIN_LATER: 503, ERROR: 400 }

interface NetworkAnswer {
  readonly tx_status: keyof typeof asyncStatuses
  readonly result?: xdr.TransactionResult
}

/** What stellar-core says of a submission at once. */
export function networkAnswer({ ledger }: Instance, submission: Submission): NetworkAnswer {
  switch (submission.status) {
    case 'later':
      return { tx_status: 'TRY_AGAIN_LATER' }
    case 'included': {
      if (ledger.isRecent(submission.incoming.hash)) return { tx_status: 'TRY_AGAIN_LATER' }
      const result = ledger.rejectionOf(submission.incoming)
      return result ? { tx_status: 'ERROR', result } : { tx_status: 'DUPLICATE' }
    }
    case 'rejected':
      return { tx_status: 'ERROR', result: submission.result }
    case 'pending':
      return { tx_status: submission.duplicate ? 'DUPLICATE' : 'PENDING' }
  }
}
