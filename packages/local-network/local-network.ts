import { startAdmin } from './faults/admin.ts'
import { readFaults, type Faults, type InstanceFaults } from './faults/faults.ts'
import { Instances, type FaultsInEffect } from './faults/instances.ts'
import { Ledger } from './ledger/ledger.ts'
import { eraseDatabase, openDatabase } from './store/database.ts'

export type { Faults, FaultsInEffect, InstanceFaults }

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
  /** How long POST /transactions waits for its ledger, in milliseconds (default 30,000). */
  readonly submissionTimeout?: number
  /** Host names beside this machine's own at which friendbot and the page answer. */
  readonly allowedHosts?: readonly string[]
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
  /** Sequence of the last closed ledger. */
  readonly latestLedger: number
  /** The faults in effect, and where each instance and the balancer listen. */
  faults(): FaultsInEffect
  /**
   * Replaces all faults: `{}` clears them and stops every instance but `main`.
   * @throws UnusableFaults; the listener's error when a port is taken
   */
  setFaults(faults: Faults): Promise<FaultsInEffect>
  /** Closes a ledger now. @returns its sequence */
  close(): number
  /** Deletes everything: ledger 1 again, with no account but the root. */
  reset(): void
  /** Closes the open ledger, ends streams and releases ports and store. */
  stop(): Promise<void>
}

export const testPassphrase = 'Test SDF Network ; September 2015'

/**
 * Starts a Stellar test network: Horizon and friendbot on one port.
 * @throws UnusableStore when the data folder is in use or another network's; UnusableFaults; the listener's error
 *   when a port is taken
 */
export async function startLocalNetwork(options: LocalNetworkOptions = {}): Promise<LocalNetwork> {
  const { closeEvery = 1000, dataFolder = ':memory:', passphrase = testPassphrase, port = 0 } = options
  const faults = readFaults(options.faults ?? {})
  if (options.reset) eraseDatabase(dataFolder)
  const database = openDatabase(dataFolder)
  let closing: ReturnType<typeof startClosing> | undefined
  let instances: Instances | undefined
  try {
    const ledger = new Ledger(database, {
      passphrase,
      clock: options.clock ?? Date.now,
      resolution: typeof closeEvery === 'number' && closeEvery >= 1000 ? 1000 : 1,
    })
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
      url,
      friendbotUrl: `${url}/friendbot`,
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
