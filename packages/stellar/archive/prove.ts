import { StrKey, xdr } from '@stellar/stellar-sdk/base'
import { createHash } from 'node:crypto'
import { verifierFromAddress } from '../ed25519.ts'
import { decodeDeep, encodeDeep, readBytes } from '../read-envelope.ts'
import { type ArchiveFile, checkpointOf, type FileKind, readFile } from './files.ts'
import { emptySets, hex, readTransactionSet, sha256, type TransactionSet } from './transaction-set.ts'
import { isQuorum, type Organization } from './validators.ts'

/** Whose signatures count, and where the files are that carry them. */
export interface History {
  passphrase: string
  organizations: readonly Organization[]
  /** Addresses of archives, without a `/` at their end. */
  archives: readonly string[]
}

/**
 * That a transaction is on the ledger with its result, as validators signed it (docs/adr/0150). Anyone who has it can check it
 * again by the files that it names, which do not change.
 */
export interface Proof {
  /** By which it was asked for. */
  hash: string
  ledger: number
  closedAt: string
  successful: boolean
  /** Base64 XDR, as all that follows: the envelope in the transaction set, and the pair in the result set. */
  envelope: string
  result: string
  /** Headers from its ledger on: each names the hash of the one before, and the signed transaction set that of the last. */
  headers: string[]
  /** The ledger that was signed, and the messages (SCPEnvelope) that closed it. */
  signedLedger: number
  statements: string[]
  /** Domains of the organizations whose validators signed. */
  signedBy: string[]
  files: { url: string; sha256: string }[]
}

/**
 * `not-published`: archives are a few minutes behind. `unavailable`: no archive answers. `contradicted`: what it published
 * does not fit together, or lacks signatures. `absent`: validators signed that ledger without the transaction.
 */
export type WhyNotProven = 'not-published' | 'unavailable' | 'contradicted' | 'absent'

export class NotProven extends Error {
  readonly why: WhyNotProven

  constructor(why: WhyNotProven, message: string, cause?: unknown) {
    super(message, { cause })
    this.why = why
  }
}

const contradicted = (message: string) => new NotProven('contradicted', message)

function require(holds: boolean, what: string): asserts holds {
  if (!holds) throw contradicted(what)
}

/** Checkpoints that are read for one proof: a ledger is signed with the one after it. */
const CHECKPOINTS = 2

/**
 * Proves a transaction by the first archive that can.
 *
 * @param sought its ledger, as someone says it is
 * @throws {NotProven}
 */
export async function proveTransaction(
  history: History,
  sought: { hash: string; ledger: number },
): Promise<Proof> {
  const failures: NotProven[] = []
  for (const archive of history.archives) {
    try {
      return await proveBy(archive, history, sought)
    } catch (error) {
      failures.push(
        error instanceof NotProven ? error : new NotProven('unavailable', (error as Error).message, error),
      )
    }
  }
  const order: readonly WhyNotProven[] = ['absent', 'contradicted', 'not-published', 'unavailable']
  const worst = order.map(why => failures.find(each => each.why === why)).find(each => each !== undefined)
  throw worst ?? new NotProven('unavailable', 'No archive is configured.')
}

/** What was read of one archive. */
interface Read {
  headers: Map<number, xdr.LedgerHeader>
  sets: Map<number, TransactionSet>
  messages: Map<number, readonly xdr.ScpEnvelope[]>
  files: ArchiveFile[]
  last: number
}

async function proveBy(
  archive: string,
  history: History,
  { hash, ledger }: { hash: string; ledger: number },
): Promise<Proof> {
  const read: Read = { headers: new Map(), sets: new Map(), messages: new Map(), files: [], last: 0 }
  let checkpoint = checkpointOf(ledger)
  const result = await readResult(archive, checkpoint, ledger, read)
  for (let count = 0; count < CHECKPOINTS; count++, checkpoint += 64) {
    await readCheckpoint(archive, checkpoint, ledger, read)
    const signed = findSigned(history, read, ledger)
    if (signed) return proofOf(history, { hash, ledger }, read, result, signed)
  }
  throw contradicted(`no ledger after ${ledger} is signed by a quorum`)
}

async function open(
  archive: string,
  kind: FileKind,
  checkpoint: number,
  read: Read,
  isWanted?: (record: Buffer) => boolean,
): Promise<Buffer[]> {
  const file = await readFile(archive, { kind, checkpoint }, isWanted)
  if (file === null)
    throw new NotProven('not-published', `${archive} has not published the ledgers up to ${checkpoint} yet`)
  read.files.push({ ...file, records: [] })
  return file.records
}

/** Records of transactions and results begin with their ledger's number. */
const isFrom =
  (ledger: number) =>
  (record: Buffer): boolean =>
    record.readUInt32BE(0) >= ledger

const isOf =
  (ledger: number) =>
  (record: Buffer): boolean =>
    record.readUInt32BE(0) === ledger

async function readResult(archive: string, checkpoint: number, ledger: number, read: Read) {
  const [record] = await open(archive, 'results', checkpoint, read, isOf(ledger))
  return record ? xdr.TransactionHistoryResultEntry.fromXdr(record).txResultSet : null
}

async function readCheckpoint(
  archive: string,
  checkpoint: number,
  ledger: number,
  read: Read,
): Promise<void> {
  for (const record of await open(archive, 'ledger', checkpoint, read)) {
    const { header, hash } = xdr.LedgerHeaderHistoryEntry.fromXdr(record)
    if (header.ledgerSeq < ledger) continue
    require(sha256(header.toXdr()) ===
      hex(hash), `the hash of ledger ${header.ledgerSeq} is not that of its header`)
    read.headers.set(header.ledgerSeq, header)
  }
  for (const record of await open(archive, 'transactions', checkpoint, read, isFrom(ledger))) {
    const entry = decodeDeep(xdr.TransactionHistoryEntry, record)
    read.sets.set(entry.ledgerSeq, readTransactionSet(entry))
  }
  for (const record of await open(archive, 'scp', checkpoint, read)) {
    const { ledgerSeq, messages } = xdr.ScpHistoryEntry.fromXdr(record).v0.ledgerMessages
    if (ledgerSeq > ledger) read.messages.set(ledgerSeq, messages)
  }
  read.last = checkpoint
}

interface Signed {
  ledger: number
  statements: readonly xdr.ScpEnvelope[]
  signedBy: string[]
}

/** The first ledger after it whose transaction set a quorum signed; the set names the hash of the ledger before. */
function findSigned(
  history: History,
  { headers, sets, messages, last }: Read,
  ledger: number,
): Signed | null {
  for (let next = ledger + 1; next <= last; next++) {
    const before = headers.get(next - 1)
    if (!before) return null
    const previous = createHash('sha256').update(before.toXdr()).digest()
    const given = sets.get(next)
    const candidates = given ? [given] : emptySets(previous)
    const fitting = candidates.filter(set => set.previousLedgerHash === previous.toString('hex'))
    require(fitting.length > 0, `the transaction set of ledger ${next} follows another ledger`)
    for (const { hash } of fitting) {
      const statements = (messages.get(next) ?? []).filter(each => agreesOn(each, next, hash, history))
      const signed = quorumOf(history.organizations, statements)
      if (signed) return { ledger: next, ...signed }
    }
    const header = headers.get(next)
    require(!header ||
      hex(header.previousLedgerHash) ===
        previous.toString('hex'), `ledger ${next} does not follow the one before`)
  }
  return null
}

/** Whether it says, rightly signed, that a ledger was closed with this transaction set. */
function agreesOn(
  { statement, signature }: xdr.ScpEnvelope,
  ledger: number,
  setHash: string,
  { passphrase, organizations }: History,
): boolean {
  if (statement.slotIndex !== BigInt(ledger)) return false
  const value = valueOf(statement)
  if (!value || value.ext.type === 'stellarValueEmptyTxSet' || hex(value.txSetHash) !== setHash) return false
  const key = nodeOf(statement)
  if (!organizations.some(({ validators }) => validators.includes(key))) return false
  const network = createHash('sha256').update(passphrase).digest()
  // ENVELOPE_TYPE_SCP
  const signed = Buffer.concat([network, Buffer.from([0, 0, 0, 1]), statement.toXdr()])
  return verifierFromAddress(key).verify(signed, signature.value)
}

/** What a node has accepted as committed; null: nothing yet. */
function valueOf({ pledges }: xdr.ScpStatement): xdr.StellarValue | null {
  if (pledges.type === 'scpStExternalize') return valueIn(pledges.externalize.commit)
  return pledges.type === 'scpStConfirm' ? valueIn(pledges.confirm.ballot) : null
}

const valueIn = ({ value }: xdr.ScpBallot): xdr.StellarValue =>
  xdr.StellarValue.fromXdr(Buffer.from(value.value))

const nodeOf = ({ nodeId }: xdr.ScpStatement): string => StrKey.encodeEd25519PublicKey(nodeId.ed25519.value)

/** Statements on one value that a quorum signed. */
function quorumOf(
  organizations: readonly Organization[],
  statements: readonly xdr.ScpEnvelope[],
): Pick<Signed, 'statements' | 'signedBy'> | null {
  const byValue = Map.groupBy(statements, ({ statement }) =>
    Buffer.from(valueOf(statement)?.toXdr() ?? []).toString('hex'),
  )
  for (const same of byValue.values()) {
    const keys = new Set(same.map(({ statement }) => nodeOf(statement)))
    if (!isQuorum(organizations, keys)) continue
    const signedBy = organizations.filter(({ validators }) => validators.some(key => keys.has(key)))
    return { statements: same, signedBy: signedBy.map(({ domain }) => domain) }
  }
  return null
}

function proofOf(
  { passphrase }: History,
  { hash, ledger }: { hash: string; ledger: number },
  { headers, sets, files }: Read,
  results: xdr.TransactionResultSet | null,
  signed: Signed,
): Proof {
  const chain = Array.from({ length: signed.ledger - ledger }, (_, index) => headers.get(ledger + index))
  const [header] = chain
  require(header !== undefined, `the archive lacks ledger ${ledger}`)
  const set =
    sets.get(ledger) ??
    emptySets(header.previousLedgerHash.value).find(({ hash }) => hash === hex(header.scpValue.txSetHash))
  require(set?.hash ===
    hex(header.scpValue.txSetHash), 'the transaction set is not the one that its header names')
  const envelope = set.transactions.find(each => hashesOf(each, passphrase).includes(hash))
  if (!envelope)
    throw new NotProven('absent', `Ledger ${ledger}, as validators signed it, has no transaction ${hash}.`)
  require(results !== null &&
    sha256(results.toXdr()) ===
      hex(header.txSetResultHash), 'the results are not those that the header names')
  const [outer] = hashesOf(envelope, passphrase)
  const pair = results.results.find(({ transactionHash }) => hex(transactionHash) === outer)
  require(pair !== undefined, 'the results lack the transaction')
  const { type } = pair.result.result
  return {
    hash,
    ledger,
    closedAt: new Date(Number(header.scpValue.closeTime) * 1_000).toISOString(),
    successful: type === 'txSuccess' || type === 'txFeeBumpInnerSuccess',
    envelope: Buffer.from(encodeDeep(envelope)).toString('base64'),
    result: pair.toXdr('base64'),
    headers: chain.map(each => each?.toXdr('base64') ?? ''),
    signedLedger: signed.ledger,
    statements: signed.statements.map(each => each.toXdr('base64')),
    signedBy: signed.signedBy,
    files: files.map(({ url, sha256 }) => ({ url, sha256 })),
  }
}

/** Its own hash, and of a fee bump that of the transaction inside. */
function hashesOf(envelope: xdr.TransactionEnvelope, passphrase: string): string[] {
  const { hash, innerHash } = readBytes(Buffer.from(encodeDeep(envelope)), passphrase)
  return [hash, innerHash]
}
