import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
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
  overCapacity,
  submissionTimeout,
} from './problems.ts'
import { baseUrl, formValue } from './requests.ts'
import { transactionByHash, transactionRecord } from './transactions.ts'

export function submissionRoutes(app: FastifyInstance, instance: Instance): void {
  app.post('/transactions', async (request, reply) => {
    const submission = instance.submit(read(instance, formValue(request, 'tx')))
    const { status, incoming } = submission
    const lost = status === 'pending' || status === 'included' ? instance.takeLostAnswer() : undefined
    if (lost === '504') throw timedOut(incoming)
    if (lost === 'none') {
      if (status === 'pending') await submission.closed
      reply.hijack().raw.destroy()
      return reply
    }
    return included(instance, submission, baseUrl(request))
  })

  app.post('/transactions_async', (request, reply) => submitWithoutWaiting(instance, request, reply))
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
  if (submission.status === 'full')
    throw overCapacity('The open ledger takes no more. Submit again after it has closed.')
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

/** The row of a submission that is in the ledger or will be; undefined when that takes too long. */
async function found(instance: Instance, submission: Submission): Promise<Row | undefined> {
  const row = () => transactionByHash(instance.database, submission.incoming.hash)
  const until = performance.now() + instance.submissionTimeout
  if (submission.status === 'pending') await within(instance.submissionTimeout, submission.closed)
  if (instance.latest.sequence >= instance.ledger.latest.sequence) return row()
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

function submitWithoutWaiting(instance: Instance, request: FastifyRequest, reply: FastifyReply) {
  const envelope = formValue(request, 'tx')
  if (envelope === '') throw badRequest('tx', 'tx: a base64 transaction envelope is required')
  const submission = instance.submit(read(instance, envelope))
  const hash = submission.incoming.hash.toString('hex')
  switch (submission.status) {
    case 'full':
      return reply.code(503).send({ tx_status: 'TRY_AGAIN_LATER', hash })
    case 'included':
      return reply.code(409).send({ tx_status: 'DUPLICATE', hash })
    case 'rejected': {
      const result = submission.result.toXdr('base64')
      return reply
        .code(400)
        .send({ tx_status: 'ERROR', hash, error_result_xdr: result, errorResultXdr: result })
    }
    case 'pending':
      return submission.duplicate
        ? reply.code(409).send({ tx_status: 'DUPLICATE', hash })
        : reply.code(201).send({ tx_status: 'PENDING', hash })
  }
}
