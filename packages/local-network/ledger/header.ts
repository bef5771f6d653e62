import { createHash } from 'node:crypto'
import { xdr } from '@stellar/stellar-sdk'
import { baseReserve } from './entries.ts'

/** The least protocol that a ledger may declare. */
export const oldestProtocol = 19
/** The newest that it may declare, and does by default: the public test network's. */
export const newestProtocol = 28

/** Stroops in existence from the first ledger on: 100 billion lumens. */
export const totalCoins = 100_000_000_000n * 10_000_000n
/** Operations that one ledger takes; what comes after must wait for the next (`TRY_AGAIN_LATER`). */
export const operationCapacity = 20_000

const noHash = new Uint8Array(32)

interface HeaderParts {
  readonly protocol: number
  readonly sequence: number
  readonly previousHash: Uint8Array
  /** Unix seconds. */
  readonly closeTime: bigint
  readonly transactionsHash: Uint8Array
  readonly resultsHash: Uint8Array
  readonly stateHash: Uint8Array
  readonly feePool: bigint
  readonly baseFee: bigint
  /** The id that was last given to an offer. */
  readonly lastId: bigint
}

/** The header's XDR and its hash, which is the ledger's. */
export function ledgerHeader(parts: HeaderParts): { header: Uint8Array; hash: Buffer } {
  const header = new xdr.LedgerHeader({
    ledgerVersion: parts.protocol,
    previousLedgerHash: parts.previousHash,
    scpValue: new xdr.StellarValue({
      txSetHash: parts.transactionsHash,
      closeTime: parts.closeTime,
      upgrades: [],
      ext: xdr.StellarValueExt.stellarValueBasic(),
    }),
    txSetResultHash: parts.resultsHash,
    bucketListHash: parts.stateHash,
    ledgerSeq: parts.sequence,
    totalCoins,
    feePool: parts.feePool,
    inflationSeq: 0,
    idPool: parts.lastId,
    baseFee: Number(parts.baseFee),
    baseReserve: Number(baseReserve),
    maxTxSetSize: operationCapacity,
    skipList: [noHash, noHash, noHash, noHash],
    ext: xdr.LedgerHeaderExt.v0(),
  }).toXdr()
  return { header, hash: createHash('sha256').update(header).digest() }
}
