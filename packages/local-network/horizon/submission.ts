import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { xdr } from '@stellar/stellar-sdk'
import { resultCodes } from '../ledger/codes.ts'
import { MalformedEnvelope, type Incoming } from '../ledger/envelope.ts'
import type { Submission } from '../ledger/ledger.ts'
import { bytes } from '../store/columns.ts'
import type { Network } from './network.ts'
import {
  badRequest,
  failedTransaction,
  malformedTransaction,
  overCapacity,
  submissionTimeout,
} from './problems.ts'
import { baseUrl, formValue } from './requests.ts'
import { transactionByHash, transactionRecord } from './transactions.ts'

export function submissionRoutes(app: FastifyInstance, network: Network): void {
  app.post('/transactions', request => {
    const envelope = formValue(request, 'tx')
    return included(network, network.submit(read(network, envelope)), baseUrl(request))
  })

  app.post('/transactions_async', (request, reply) => submitWithoutWaiting(network, request, reply))
}

function read(network: Network, envelope: string): Incoming {
  try {
    return network.ledger.read(envelope)
  } catch (error) {
    if (error instanceof MalformedEnvelope) throw malformedTransaction(envelope)
    throw error
  }
}

/**
 * The transaction's resource once its ledger has closed.
 * @throws HorizonProblem when it was rejected, failed, or did not close in time
 */
export async function included(network: Network, submission: Submission, base: string) {
  const { incoming } = submission
  const envelope = incoming.envelope.toXdr('base64')
  if (submission.status === 'full')
    throw overCapacity('The open ledger takes no more. Submit again after it has closed.')
  if (submission.status === 'rejected') throw failed(envelope, submission.result)
  if (submission.status === 'pending') await within(network.submissionTimeout, submission.closed)
  const row = transactionByHash(network.database, incoming.hash)
  if (!row) throw submissionTimeout(incoming.hash.toString('hex'), envelope)
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

function submitWithoutWaiting(network: Network, request: FastifyRequest, reply: FastifyReply) {
  const envelope = formValue(request, 'tx')
  if (envelope === '') throw badRequest('tx', 'tx: a base64 transaction envelope is required')
  const submission = network.submit(read(network, envelope))
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
