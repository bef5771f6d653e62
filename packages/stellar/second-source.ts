import { xdr } from '@stellar/stellar-sdk/base'
import { createHash } from 'node:crypto'
import { accountKey, signersIn, type SignersEntry } from './account-signers.ts'
import { faultOfOutcome, ledgerOf } from './check-answers.ts'
import { createHorizon, type Horizon, type LedgerHead } from './horizon.ts'
import { OtherNetworkError } from './horizon-client.ts'
import { LedgerError } from './ledger-error.ts'
import { proveNetwork, type LedgerSource } from './network.ts'
import { askRpc, RpcRefusal } from './stellar-rpc.ts'

/** What another, independent source of the ledger is asked (docs/adr/0123). */
export type SecondSource = Pick<Horizon, 'head' | 'ledger' | 'transaction' | 'history'> & {
  /** Null: it has no such account (yet). */
  signersOf(account: string): Promise<SignersEntry | null>
}

/** Where it is: one of both. */
interface SecondSourceSettings {
  horizonUrl?: string | undefined
  rpcUrl?: string | undefined
}

/** Null: none is configured. */
export function createSecondSource(
  { horizonUrl, rpcUrl }: SecondSourceSettings,
  passphrase: string,
): SecondSource | null {
  if (horizonUrl) {
    const horizon = createHorizon({ url: horizonUrl, passphrase })
    return { ...horizon, signersOf: account => horizon.account(account) }
  }
  return rpcUrl ? createRpcSource({ url: rpcUrl, passphrase }) : null
}

/** A page of one ledger contains all that its close did. */
const MAX_LEDGER_BYTES = 64 * 1024 * 1024

interface RpcTransaction {
  status: string
  /** Base64 XDR, as what follows. */
  envelopeXdr?: string
  resultXdr?: string
  ledger: number
  /** Counted from 1 in its ledger. */
  applicationOrder: number
  /** Unix seconds. */
  createdAt: string
}

interface RpcLedger {
  hash: string
  sequence: number
  /** `LedgerHeaderHistoryEntry`, base64 XDR. */
  headerXdr: string
}

/** Stellar RPC: it keeps some days of ledgers. Each call throws {@link LedgerError} where it gives no good answer. */
function createRpcSource(source: LedgerSource): SecondSource {
  const ask = async <T>(method: string, params: object, maxBytes?: number): Promise<T> => {
    try {
      const answer = (await askRpc(source.url, method, params, maxBytes)) as T
      await proveNetwork(
        source,
        () => readPassphrase(source.url),
        found => otherNetwork(source, found),
      )
      return answer
    } catch (error) {
      if (error instanceof RpcRefusal) throw error
      throw unavailable((error as Error).message, error)
    }
  }
  const health = () => ask<{ latestLedger: number; oldestLedger: number }>('getHealth', {})
  const ledger = async (sequence: number): Promise<LedgerHead | null> => {
    const pagination = { limit: 1 }
    const params = { startLedger: sequence, pagination }
    const found = await ask<{ ledgers: RpcLedger[] }>('getLedgers', params, MAX_LEDGER_BYTES).catch(
      async (error: unknown) => {
        if (!(error instanceof RpcRefusal)) throw error
        const { oldestLedger, latestLedger } = await health()
        if (sequence < oldestLedger || sequence > latestLedger) return { ledgers: [] }
        throw unavailable(error.message, error)
      },
    )
    const given = found.ledgers.find(each => each.sequence === sequence)
    return given ? headOf(given) : null
  }
  return {
    head: async () => {
      const latest = await ledger((await health()).latestLedger)
      if (!latest) throw unavailable('it has no ledger')
      return latest
    },
    history: async () => {
      const { oldestLedger, latestLedger } = await health()
      return { elder: oldestLedger, latest: latestLedger }
    },
    ledger,
    signersOf: async account => {
      const { entries } = await ask<{ entries?: { xdr: string }[] | null }>('getLedgerEntries', {
        keys: [accountKey(account)],
      })
      const [entry] = entries ?? []
      return entry ? signersIn(account, entry.xdr) : null
    },
    transaction: async hash => {
      const found = await ask<RpcTransaction>('getTransaction', { hash })
      const { status, envelopeXdr = '', resultXdr = '' } = found
      if (status === 'NOT_FOUND') return null
      const successful = status === 'SUCCESS'
      const outcome = { hash, successful, envelope_xdr: envelopeXdr, result_xdr: resultXdr }
      const fault = faultOfOutcome(outcome, source.passphrase)
      if (fault !== null)
        throw unavailable(`what it says of transaction ${hash} contradicts itself: ${fault}`)
      const cursor = String((BigInt(found.ledger) << 32n) | (BigInt(found.applicationOrder) << 12n))
      const closedAt = new Date(Number(found.createdAt) * 1_000)
      return { successful, result: resultXdr, envelope: envelopeXdr, cursor, closedAt }
    },
  }
}

function headOf({ hash, sequence, headerXdr }: RpcLedger): LedgerHead {
  const { header } = xdr.LedgerHeaderHistoryEntry.fromXdr(headerXdr, 'base64')
  const { ledgerSeq, scpValue, baseReserve } = header
  if (createHash('sha256').update(header.toXdr()).digest('hex') !== hash || ledgerSeq !== sequence)
    throw unavailable(`what it says of ledger ${sequence} contradicts itself`)
  const closedAt = new Date(Number(scpValue.closeTime) * 1_000)
  return { sequence, hash, closedAt, baseReserve: BigInt(baseReserve) }
}

async function readPassphrase(url: string): Promise<string | undefined> {
  const { passphrase } = await askRpc(url, 'getNetwork', {})
  return typeof passphrase === 'string' ? passphrase : undefined
}

const otherNetwork = ({ url, passphrase }: LedgerSource, found: string | undefined): Error =>
  new OtherNetworkError(url, passphrase, found)

const unavailable = (why: string, cause?: unknown): LedgerError =>
  new LedgerError('ledger-unavailable', `The second source of the ledger is not available: ${why}.`, {
    cause,
  })

/**
 * What the second source says of a transaction that the first one shows. `behind`: it may have it soon. `gone`: it
 * no longer has that ledger.
 */
export type SecondOpinion = 'same' | 'differs' | 'behind' | 'gone'

/** A transaction as a source of the ledger shows it. */
export interface Shown {
  hash: string
  successful: boolean
  /** Base64 XDR. */
  result: string
  /** Its place in the network's history: its paging token. */
  cursor: string
  /** When its ledger closed. */
  closedAt: Date
}

/** @throws {LedgerError} where it does not answer */
export async function askSecond(
  second: Pick<SecondSource, 'transaction' | 'history'>,
  first: Shown,
): Promise<SecondOpinion> {
  const found = await second.transaction(first.hash)
  if (found) return isSame(found, first) ? 'same' : 'differs'
  const ledger = ledgerOf(first.cursor)
  const { elder, latest } = await second.history()
  if (latest < ledger) return 'behind'
  return elder > ledger ? 'gone' : 'differs'
}

/** Times are compared by seconds, as headers have them. */
const isSame = (found: Partial<Shown>, { successful, result, cursor, closedAt }: Shown): boolean =>
  found.successful === successful &&
  found.result === result &&
  found.cursor === cursor &&
  secondOf(found.closedAt) === secondOf(closedAt)

const secondOf = (at: Date | undefined): number => Math.floor((at?.getTime() ?? 0) / 1_000)

/**
 * Whether the second source lets an envelope end without success: it shows it as failed, or has every ledger in which
 * it could have been applied, and not it. Anything else leaves it open.
 *
 * @throws {LedgerError} where it does not answer
 */
export async function letsEnd(
  second: SecondSource,
  { hash, from, until }: { hash: string; from: number; until: Date },
): Promise<boolean> {
  const found = await second.transaction(hash)
  if (found) return !found.successful
  const { closedAt } = await second.head()
  return closedAt > until && (await second.history()).elder <= from + 1
}

/** Whether both have the same chain, by the newest ledger that both have; `unknown`: they have none together. */
export async function compareSources(
  first: Pick<Horizon, 'ledger'>,
  second: SecondSource,
  sequence: number,
): Promise<'same' | 'another' | 'unknown'> {
  const { latest } = await second.history()
  const shared = Math.min(sequence, latest)
  const [ours, theirs] = await Promise.all([first.ledger(shared), second.ledger(shared)])
  if (!ours || !theirs) return 'unknown'
  return ours.hash === theirs.hash ? 'same' : 'another'
}
