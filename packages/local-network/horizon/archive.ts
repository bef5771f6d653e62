import { gzipSync } from 'node:zlib'
import { Keypair, xdr } from '@stellar/stellar-sdk'
import type { FastifyInstance } from 'fastify'
import { operationCapacity } from '../ledger/header.ts'
import { networkIdOf } from '../ledger/envelope.ts'
import { hashOf, resultSet, transactionSet } from '../ledger/sets.ts'
import { bytes, number } from '../store/columns.ts'
import type { Row } from '../store/database.ts'
import type { Instance } from './instance.ts'
import { ledgerBySequence } from './ledgers.ts'
import { notFound } from './problems.ts'
import { transactionRows } from './transactions.ts'

/** Ledgers of a checkpoint; the first one has no ledger 0. */
const frequency = 64

/** The key of the network's only validator: everyone can derive it, as the root account's. */
export const validatorOf = (passphrase: string): Keypair =>
  Keypair.fromRawEd25519Seed(hashOf(Buffer.from('validator'), networkIdOf(passphrase)))

type Kind = 'ledger' | 'transactions' | 'results' | 'scp'

/** A history archive as stellar-core publishes it, without buckets: `/archive/<kind>/ww/xx/yy/<kind>-wwxxyyzz.xdr.gz`. */
export function archiveRoutes(app: FastifyInstance, instance: Instance): void {
  app.get('/archive/.well-known/stellar-history.json', () => ({
    version: 1,
    server: 'windlass-local-network',
    currentLedger: lastCheckpoint(instance),
    networkPassphrase: instance.ledger.passphrase,
    currentBuckets: [],
  }))
  app.get<{ Params: { kind: string; '*': string } }>('/archive/:kind/*', (request, reply) => {
    const { kind, '*': rest } = request.params
    const [, name = ''] = /^(?:[0-9a-f]{2}\/){3}[a-z]+-([0-9a-f]{8})\.xdr\.gz$/.exec(rest) ?? []
    const checkpoint = Number.parseInt(name, 16)
    const record = recordOf[kind as Kind]
    if (!Object.hasOwn(recordOf, kind) || pathOf(kind, name) !== rest || (checkpoint + 1) % frequency !== 0)
      throw notFound()
    if (checkpoint > lastCheckpoint(instance)) throw notFound()
    const records = ledgersOf(instance, checkpoint).flatMap(row => record(instance, row) ?? [])
    return reply.type('application/gzip').send(gzipSync(Buffer.concat(records.map(framed))))
  })
}

const lastCheckpoint = ({ latest }: Instance): number =>
  Math.floor((latest.sequence + 1) / frequency) * frequency - 1

const pathOf = (kind: string, name: string): string =>
  `${name.slice(0, 2)}/${name.slice(2, 4)}/${name.slice(4, 6)}/${kind}-${name}.xdr.gz`

const ledgersOf = ({ database }: Instance, checkpoint: number): Row[] =>
  Array.from({ length: frequency }, (_, index) => checkpoint - frequency + 1 + index)
    .map(sequence => ledgerBySequence(database, sequence))
    .filter(row => row !== undefined)

/** A record begins with its length, whose highest bit is set (RFC 5531, section 11). */
function framed(record: Uint8Array): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE((record.length | 0x8000_0000) >>> 0)
  return Buffer.concat([length, record])
}

/** What an archive has of one ledger; undefined: nothing. */
const recordOf: Readonly<Record<Kind, (instance: Instance, row: Row) => Uint8Array | undefined>> = {
  ledger: (_, row) =>
    new xdr.LedgerHeaderHistoryEntry({
      hash: bytes(row['hash']),
      header: headerOf(row),
      ext: xdr.LedgerHeaderHistoryEntryExt.v0(),
    }).toXdr(),
  transactions: (instance, row) => {
    const rows = transactionsOf(instance, row)
    if (rows.length === 0) return undefined
    const { ledgerVersion: protocol, previousLedgerHash, baseFee, ledgerSeq } = headerOf(row)
    const { txSet, ext } = transactionSet({
      protocol,
      previousHash: previousLedgerHash.value,
      baseFee: BigInt(baseFee),
      envelopes: rows.map(each => xdr.TransactionEnvelope.fromXdr(bytes(each['envelope']))),
    })
    return new xdr.TransactionHistoryEntry({ ledgerSeq, txSet, ext }).toXdr()
  },
  results: (instance, row) => {
    const rows = transactionsOf(instance, row)
    if (rows.length === 0) return undefined
    const results = rows.map(each => ({
      hash: bytes(each['hash']),
      result: xdr.TransactionResult.fromXdr(bytes(each['result'])),
    }))
    return new xdr.TransactionHistoryResultEntry({
      ledgerSeq: number(row['sequence']),
      txResultSet: resultSet(results),
      ext: xdr.TransactionHistoryResultEntryExt.v0(),
    }).toXdr()
  },
  scp: ({ ledger }, row) => {
    const validator = validatorOf(ledger.passphrase)
    const nodeId = xdr.PublicKey.publicKeyTypeEd25519(validator.rawPublicKey())
    const quorumSet = new xdr.ScpQuorumSet({ threshold: 1, validators: [nodeId], innerSets: [] })
    const ledgerSeq = number(row['sequence'])
    const statement = new xdr.ScpStatement({
      nodeId,
      slotIndex: BigInt(ledgerSeq),
      pledges: xdr.ScpStatementPledges.scpStExternalize(
        new xdr.ScpStatementExternalize({
          commit: new xdr.ScpBallot({ counter: 1, value: headerOf(row).scpValue.toXdr() }),
          nH: 1,
          commitQuorumSetHash: hashOf(quorumSet.toXdr()),
        }),
      ),
    })
    // ENVELOPE_TYPE_SCP
    const signed = Buffer.concat([ledger.networkId, Buffer.from([0, 0, 0, 1]), statement.toXdr()])
    const signature = validator.sign(signed)
    const messages = [new xdr.ScpEnvelope({ statement, signature })]
    const ledgerMessages = new xdr.LedgerScpMessages({ ledgerSeq, messages })
    return xdr.ScpHistoryEntry.v0(
      new xdr.ScpHistoryEntryV0({ quorumSets: [quorumSet], ledgerMessages }),
    ).toXdr()
  },
}

const headerOf = (row: Row): xdr.LedgerHeader => xdr.LedgerHeader.fromXdr(bytes(row['header']))

const transactionsOf = ({ database }: Instance, row: Row): Row[] =>
  transactionRows(database, { ledger: number(row['sequence']), includeFailed: true }, 0n, {
    cursor: '',
    order: 'asc',
    limit: operationCapacity,
  })
