import { listen } from './horizon/listening.ts'
import { buildServer } from './horizon/server.ts'
import { Streams } from './horizon/streaming.ts'
import { Ledger } from './ledger/ledger.ts'
import { eraseDatabase, openDatabase } from './store/database.ts'

/** Milliseconds between two closes; or as soon as something was submitted; or only when `close` is called. */
export type CloseEvery = number | 'at-once' | 'on-demand'

export interface LocalNetworkOptions {
  /** TCP port; 0 (the default) takes a free one. */
  readonly port?: number
  /** Address to listen at; `localhost` (the default) means 127.0.0.1 and, where there is one, ::1. */
  readonly host?: string
  /** Where the ledger is kept; `:memory:` (the default) forgets it at the end. */
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
}

export interface LocalNetwork {
  /** Horizon's address. */
  readonly url: string
  readonly friendbotUrl: string
  readonly passphrase: string
  /** Sequence of the last closed ledger. */
  readonly latestLedger: number
  /** Closes a ledger now. @returns its sequence */
  close(): number
  /** Forgets everything: ledger 1 again, with nobody on it. */
  reset(): void
  /** Closes what is waiting, ends streams and lets go of port and store. */
  stop(): Promise<void>
}

export const testPassphrase = 'Test SDF Network ; September 2015'

/**
 * Starts a Stellar test network: Horizon and friendbot on one port.
 * @throws UnusableStore when the data folder is in use or another network's; the listener's error when the port is
 */
export async function startLocalNetwork(options: LocalNetworkOptions = {}): Promise<LocalNetwork> {
  const { closeEvery = 1000, dataFolder = ':memory:', passphrase = testPassphrase, port = 0 } = options
  if (options.reset) eraseDatabase(dataFolder)
  const database = openDatabase(dataFolder)
  try {
    const ledger = new Ledger(database, {
      passphrase,
      clock: options.clock ?? Date.now,
      resolution: typeof closeEvery === 'number' && closeEvery >= 1000 ? 1000 : 1,
    })
    const streams = new Streams()
    const closing = startClosing(ledger, closeEvery)
    const app = await buildServer({
      ledger,
      database,
      streams,
      submissionTimeout: options.submissionTimeout ?? 30_000,
      allowedHosts: options.allowedHosts ?? [],
      submit(incoming) {
        const submission = ledger.submit(incoming)
        if (submission.status === 'pending') closing.submitted()
        return submission
      },
    })
    const listening = await listen(app, options.host ?? 'localhost', port).catch((error: unknown) => {
      closing.stop()
      throw error
    })
    const url = `http://${nameOf(options.host ?? 'localhost')}:${listening.port}`
    let stopped: Promise<void> | undefined
    const stop = async () => {
      const silent = listening.close()
      streams.close()
      closing.stop()
      await silent
      await app.close()
      database.close()
    }
    return {
      url,
      friendbotUrl: `${url}/friendbot`,
      passphrase,
      get latestLedger() {
        return ledger.latest.sequence
      },
      close: () => ledger.close().sequence,
      reset: () => ledger.reset(),
      stop: () => (stopped ??= stop()),
    }
  } catch (error) {
    database.close()
    throw error
  }
}

/** What to call the address it listens at. */
function nameOf(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

/** Decides when ledgers close. A close that fails is told and tried again. */
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
    /** What waits is closed now, what is still to come as it comes. */
    stop() {
      stopped = true
      clearInterval(timer)
      clearTimeout(retry)
      if (ledger.waiting > 0) close()
    },
  }
}
