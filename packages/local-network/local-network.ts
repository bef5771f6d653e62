import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Keypair } from '@stellar/stellar-sdk'
import { startAdmin } from './faults/admin.ts'
import { readFaults, type Faults, type InstanceFaults } from './faults/faults.ts'
import { Instances, type FaultsInEffect } from './faults/instances.ts'
import type { Genesis, GenesisAccount } from './ledger/genesis.ts'
import { validatorOf } from './horizon/archive.ts'
import { newestProtocol, oldestProtocol } from './ledger/header.ts'
import { Ledger } from './ledger/ledger.ts'
import { eraseDatabase, openDatabase, type Database } from './store/database.ts'

export type { Faults, FaultsInEffect, Genesis, GenesisAccount, InstanceFaults }

/** Milliseconds between two closes; or as soon as something was submitted; or only when `close` is called. */
export type CloseEvery = number | 'at-once' | 'on-demand'

export interface LocalNetworkOptions {
  /** TCP port; 0 (the default) takes a free one. */
  readonly port?: number
  /** Address to listen at; `localhost` (the default) means 127.0.0.1 and, where there is one, ::1. */
  readonly host?: string
  /** Where the ledger is kept; `:memory:` (the default) keeps nothing after the end. */
  readonly dataFolder?: string
  /** Default: 1000 ms. */
  readonly closeEvery?: CloseEvery
  /** Starts with an empty ledger, whatever the data folder holds. */
  readonly reset?: boolean
  /** Default: the public test network's, the only one that wallets accept. */
  readonly passphrase?: string
  /** Now, in Unix milliseconds. */
  readonly clock?: () => number
  /**
   * Makes a run repeatable: close times begin at 2026-01-01 and each ledger is a second later, and `keypair` derives
   * its keys from it. The same submissions then give the same ledgers, hash for hash.
   */
  readonly seed?: string
  /** Accounts and assets that are there from the first ledger on. */
  readonly genesis?: Genesis
  /**
   * Whether the contract of an asset has to be deployed, as on the public network. By default each asset has its contract.
   * Counts when the ledger is new.
   */
  readonly deploysContracts?: boolean
  /** Begins with the state of another network. */
  readonly from?: Snapshot
  /** How long POST /transactions waits for its ledger, in milliseconds (default 30,000). */
  readonly submissionTimeout?: number
  /** Host names beside this machine's own at which friendbot and the page answer. */
  readonly allowedHosts?: readonly string[]
  /**
   * The protocol version that ledgers declare, 19 to 28 (the default). From 20 on an account has one transaction in a
   * ledger, transaction meta has version 3, and the contracts of assets can `transfer`; from 23 on meta has version 4.
   */
  readonly protocol?: number
  /** Faults from the start. */
  readonly faults?: Faults
  /** TCP port of the admin API, which listens on 127.0.0.1 only; 0 takes a free one. Without it there is none. */
  readonly adminPort?: number
}

export interface LocalNetwork {
  /** Horizon's address. */
  readonly url: string
  readonly friendbotUrl: string
  /** Address of the admin API; undefined without `adminPort`. */
  readonly adminUrl: string | undefined
  readonly passphrase: string
  /** Address of the history archive, which has each 64 ledgers with the signature of {@link validator}. */
  readonly archiveUrl: string
  /** Signs each ledger, alone. */
  readonly validator: Keypair
  /** Sequence of the last closed ledger. */
  readonly latestLedger: number
  /** The faults in effect, and where each instance and the balancer listen. */
  faults(): FaultsInEffect
  /**
   * Replaces all faults: `{}` clears them and stops every instance but `main`.
   * @throws UnusableFaults; the listener's error when a port is taken
   */
  setFaults(faults: Faults): Promise<FaultsInEffect>
  /** The account that holds all lumens at first; friendbot pays from it. */
  readonly root: Keypair
  /** The key of a name: the same each time, and in each run with the same seed. */
  keypair(name: string): Keypair
  /** Closes a ledger now. @returns its sequence */
  close(): number
  /** Sets the clock forward; a ledger that is open closes first. */
  advance(milliseconds: number): void
  /** The state of the last ledger, history included; a ledger that is open closes first. */
  snapshot(): Snapshot
  /** Continues from a snapshot, as if nothing had happened since. */
  restore(snapshot: Snapshot): void
  /** Another network, in memory and on a free port, that starts as this one is now. */
  branch(): Promise<LocalNetwork>
  /** Deletes everything: ledger 1 again, with no account but the root. */
  reset(): void
  /** Closes the open ledger, ends streams and releases ports and store. */
  stop(): Promise<void>
}

/** A network's state in a file of its own, until it is deleted. */
export interface Snapshot {
  readonly file: string
  delete(): void
}

/** USDC as wallets know it on the public test network. */
export const testUsdc = 'USDC:GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5'

const seededStart = Date.UTC(2026, 0, 1)

export const testPassphrase = 'Test SDF Network ; September 2015'

/**
 * Starts a Stellar test network: Horizon and friendbot on one port.
 * @throws UnusableStore when the data folder is in use or another network's; UnusableFaults; the listener's error
 *   when a port is taken
 */
export async function startLocalNetwork(options: LocalNetworkOptions = {}): Promise<LocalNetwork> {
  const { closeEvery = 1000, dataFolder = ':memory:', passphrase = testPassphrase, port = 0 } = options
  const faults = readFaults(options.faults ?? {})
  const protocol = requireProtocol(options.protocol ?? newestProtocol)
  if (options.reset) eraseDatabase(dataFolder)
  const database = openDatabase(dataFolder)
  let advanced = 0
  const clock = options.clock ?? (options.seed === undefined ? Date.now : () => seededStart)
  const seed = options.seed ?? randomBytes(16).toString('hex')
  let closing: ReturnType<typeof startClosing> | undefined
  let instances: Instances | undefined
  try {
    if (options.from) database.readFrom(options.from.file)
    const wholeSeconds = (typeof closeEvery === 'number' && closeEvery >= 1000) || options.seed !== undefined
    const ledger = new Ledger(database, {
      passphrase,
      clock: () => clock() + advanced,
      protocol,
      resolution: wholeSeconds ? 1000 : 1,
      genesis: options.genesis ?? {},
      deploys: options.deploysContracts ?? false,
    })
    const closeOpen = () => {
      if (ledger.waiting > 0) ledger.close()
    }
    const snapshot = () => {
      closeOpen()
      return takeSnapshot(database)
    }
    closing = startClosing(ledger, closeEvery)
    const { submitted, stop: stopClosing } = closing
    const served = (instances = new Instances(options.host ?? 'localhost', {
      ledger,
      database,
      submissionTimeout: options.submissionTimeout ?? 30_000,
      allowedHosts: options.allowedHosts ?? [],
      submit(incoming) {
        const submission = ledger.submit(incoming)
        if (submission.status === 'pending') submitted()
        return submission
      },
    }))
    const url = await served.start(port)
    await served.setFaults(faults)
    const controls = {
      faults: () => served.inEffect,
      setFaults: (given: unknown) => served.setFaults(readFaults(given)),
      close: () => ledger.close().sequence,
      reset: () => ledger.reset(),
    }
    const admin = options.adminPort === undefined ? undefined : await startAdmin(controls, options.adminPort)
    let stopped: Promise<void> | undefined
    const stop = async () => {
      await admin?.close()
      await served.stop(stopClosing)
      database.close()
    }
    return {
      ...controls,
      root: ledger.root,
      keypair: name => Keypair.fromRawEd25519Seed(createHash('sha256').update(`${seed} ${name}`).digest()),
      advance(milliseconds) {
        closeOpen()
        advanced += milliseconds
      },
      snapshot,
      restore: ({ file }) => ledger.restore(() => database.readFrom(file)),
      async branch() {
        const from = snapshot()
        const { adminPort: _, ...others } = options
        try {
          const inMemory = { port: 0, dataFolder: ':memory:', reset: false, seed }
          const kept = options.seed === undefined ? { clock: () => clock() + advanced } : {}
          return await startLocalNetwork({ ...others, ...inMemory, ...kept, from })
        } finally {
          from.delete()
        }
      },
      url,
      friendbotUrl: `${url}/friendbot`,
      archiveUrl: `${url}/archive`,
      validator: validatorOf(passphrase),
      adminUrl: admin?.url,
      passphrase,
      get latestLedger() {
        return ledger.latest.sequence
      },
      stop: () => (stopped ??= stop()),
    }
  } catch (error) {
    await instances?.stop(closing?.stop ?? (() => undefined))
    database.close()
    throw error
  }
}

function takeSnapshot(database: Database): Snapshot {
  const folder = mkdtempSync(join(tmpdir(), 'local-network-'))
  const file = join(folder, 'snapshot.sqlite')
  database.writeTo(file)
  return { file, delete: () => rmSync(folder, { recursive: true, force: true }) }
}

/** @throws RangeError */
function requireProtocol(protocol: number): number {
  if (Number.isInteger(protocol) && protocol >= oldestProtocol && protocol <= newestProtocol) return protocol
  throw new RangeError(`protocol: ${protocol} is not a version from ${oldestProtocol} to ${newestProtocol}`)
}

/** Decides when ledgers close. A close that fails is logged and tried again. */
function startClosing(ledger: Ledger, every: CloseEvery): { submitted(): void; stop(): void } {
  let next: NodeJS.Immediate | undefined
  let retry: NodeJS.Timeout | undefined
  let stopped = false
  const close = () => {
    next = retry = undefined
    try {
      ledger.close()
    } catch (error) {
      console.error('The ledger could not be stored; it stays open:', error)
      if (every === 'at-once' && !stopped) retry = setTimeout(close, 1000)
    }
  }
  const timer = typeof every === 'number' ? setInterval(close, every) : undefined
  return {
    submitted() {
      if (every === 'at-once' || stopped) next ??= retry ? undefined : setImmediate(close)
    },
    /** Closes the open ledger now, and then one for every submission that still arrives. */
    stop() {
      stopped = true
      clearInterval(timer)
      clearTimeout(retry)
      if (ledger.waiting > 0) close()
    },
  }
}
